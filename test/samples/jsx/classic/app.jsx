// The factory that tsconfig.json names, in CommonJS.
const { h, Frag } = require("./h.cjs");
const Item = (props) => <li>{props.value.text}</li>;
console.log(JSON.stringify(<><a b="c" {...{ d: 1 }}>x</a></>));
console.log(JSON.stringify(Item({ value: { text: "t" } })));
Item({});
