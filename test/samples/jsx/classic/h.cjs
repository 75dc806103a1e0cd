exports.h = (type, props, ...children) => ({ type, props, children });
exports.Frag = "frag";
