let failures = 0;
const made = new Error("made early");
const later = 5;
setTimeout(() => {
  failures += later;
  throw made;
}, 5);
