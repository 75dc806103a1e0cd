// Secrets in every place where a write can show them.
"use strict";
const token = "tok-1234567890";
const settings = { name: "shop", apiKey: "key-abcdefghijkl" };
settings.apiKey = "key-mnopqrstuvwx";
const secrets = {};
secrets.first = "sentence one two";
const headers = new Map();
headers.set("authorization", "Bearer abcdefghijklmnop");
let plain = `begins ${token} ends`;
plain = "4111 1111 1111 1111";
const jwt = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${"a".repeat(200)}.${"b".repeat(60)}`;
const card = 4111111111111111;
const list = [];
list.push("key-mnopqrstuvwx");
const longText = `${"word ".repeat(20)}sk_live_${"z".repeat(80)}`;
settings["key-mnopqrstuvwx"] = 1;
throw new Error("end");
