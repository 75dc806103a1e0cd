import autoprefixer from "autoprefixer";
const upper = { postcssPlugin: "mine", Declaration(node) { if (node.prop === "explode") throw node.error("this property explodes", { plugin: "mine" }); } };
export default { map: { inline: false }, plugins: [autoprefixer({ overrideBrowserslist: ["ie 11", "safari 9"] }), upper] };
