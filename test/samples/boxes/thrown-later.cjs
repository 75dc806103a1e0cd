function check(x) {
  const y = x + 1;
  const e = new Error("later");
  e.code = "E_Y";
  throw e;
}
function guarded(x) {
  try {
    return check(x);
  } finally {
    x = 100;
  }
}
guarded(1);
