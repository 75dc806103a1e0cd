function f(a, b) { let c = a == b; if (a) { if (b) { for (;;) { break; } } else if (c) { return 1; } } return undefinedName; let d = 1; }
switch (f) { case 1: f(); case 2: f(1); }
try { f(); } catch (e) { }
class K extends f { constructor() { super(); } #x = 1; get y() { return this.#x ?? f?.(1); } static { const c = 1; { const c = 2; } } }
