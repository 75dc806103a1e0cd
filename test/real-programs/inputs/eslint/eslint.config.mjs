export default [{
  files: ["**/*.js"],
  rules: { "no-unused-vars": "error", "no-undef": "error", eqeqeq: "warn", "prefer-const": "error", "no-empty": "error", complexity: ["warn", 3], "no-fallthrough": "error", "no-unreachable": "error", "no-shadow": "warn" },
}];
