var a = 1; function f(x) { if (x = 2) return y; for (var i in x) { i++ } switch (x) { case 1: f(); default: } return a == null; var late; }
with (a) { b; } eval("1"); var a; new f; "x" + function () { } ();
