process.on("uncaughtException", function handler(error) {
  const attempt = 1;
  throw new Error("again", { cause: attempt });
});
throw new Error("first");
