// A rejection that nobody handles; the mode decides what becomes of the program.
async function refuse(id) { const detail = { id }; await null; throw new TypeError("refused " + detail.id); }
refuse(7);
setTimeout(() => console.log("alive"), 30);
