const plugin = { rules: { boom: { create(context) { return { Identifier(node) { if (node.name === "undefinedName") throw new TypeError("a rule of mine failed on " + node.name); } }; } } } };
export default [{ files: ["**/*.js"], plugins: { mine: plugin }, rules: { "mine/boom": "error" } }];
