function f(a) { if (a) throw new Error("with mark " + f); }
f(1);
