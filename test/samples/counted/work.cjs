function inWorker(n) {
  if (n > 1) {
    return "large";
  }
  return "small";
}
function unused() {
  return 1;
}
console.log(inWorker(Number(process.argv[2])));
