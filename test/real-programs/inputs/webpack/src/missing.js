import { missing } from "./ns.js"; console.log(missing);
