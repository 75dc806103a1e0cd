export class A { constructor( { this.x = 1 } }
function f( { return 1 }
const s = `unterminated ${1 + ;
