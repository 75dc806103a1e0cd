(function (root, factory) { if (typeof define === "function" && define.amd) define([], factory); else root.lib = factory(); })(this, function () {
  "use strict";
  var DEBUG = false, table = { one: 1, two: 2 };
  function longName(firstArgument, secondArgument) { if (DEBUG) { console.log("never", firstArgument); } var result = []; for (var index = 0; index < firstArgument.length; index++) { result.push(firstArgument[index] * secondArgument + table.one + table["two"]); } return result.length > 0 ? result : null; }
  function Dead() { return 1 + 2 + 3; }
  try { throw new Error("x" + "y"); } catch (error) { table.error = error.message; } finally { table.done = !0; }
  return { longName: longName, table: table, sum: function () { return [].slice.call(arguments).reduce(function (a, b) { return a + b; }, 0); } };
});
