function greet(who) { const text = "hello " + who; if (who === "x") throw new Error(text); return text; }
console.log(greet("PLACE"), greet.toString(), new Error("e").stack.split("\n")[1]);
greet("x");
