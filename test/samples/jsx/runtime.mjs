export const jsx = (type, props, key) => ({ type, props, key });
export const jsxs = jsx;
export const Fragment = "fragment";
