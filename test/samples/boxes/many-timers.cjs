function request(i) { const body = new Array(1e5).fill(i); const n = body.length; setInterval(() => n, 1000); }
for (let i = 0; i < 2000; i++) request(i);
console.log("ok");
process.exit(0);
