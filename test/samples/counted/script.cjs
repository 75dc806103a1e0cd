"use strict";
const fs = require("fs");
function f(a, b = a ? 1 : 2) { return fs ? b : a; }
module.exports = { f };
if (require.main === module) { f(0); } else { f(1); }
(function iife() { if (f(1)) { return; } f(2); })();
