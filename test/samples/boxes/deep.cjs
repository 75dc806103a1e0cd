function down(level) {
  const pad = "p" + level;
  if (level === 0) throw new Error("bottom");
  return down(level - 1) + pad.length;
}
function start() { return down(Number(process.argv[2])); }
start();
