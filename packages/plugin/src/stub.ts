/**
 * The text that stands in every built file: it defines what probes use where no recorder has done so.
 *
 * It is small, works in every JavaScript engine, says nothing, and keeps what a recorder that is
 * installed later wants to know (`ProbeStub` in the recorder). It uses nothing by name but
 * `globalThis`: the file around it may have any other name for itself.
 */

/**
 * Defines the globals, `g` being the global object, and hides the probes as far as a file can by
 * itself: `String(fn)` gives the text without them, and stack traces in Node have its places.
 *
 * The third number of the places of a file (plain-places.ts) is by how much its head lengthens a line.
 */
const INSTALL = [
  // Copied: the program may replace them, and none of its functions may be called by a probe.
  "const O=g.Object,{apply}=g.Reflect,{isArray}=g.Array,{hasOwn}=O,keep=g.WeakMap.prototype.set,add=(list,value)=>{list[list.length]=value},define=(name,value)=>O.defineProperty(g,name,{value}),",
  "stub={events:new g.Int32Array(262144),head:new g.Int32Array(16),activations:new g.Float64Array([1]),",
  "files:[],readers:[],ended:[],privates:new g.WeakMap,wantsWrites:false,to:undefined,writes:undefined};",
  'define("__obR",stub.events);define("__obH",stub.head);define("__obM",262143);define("__obA",stub.activations);',
  'define("__obW",(id,frame,value)=>stub.writes?stub.writes.write(id,frame,value):value);',
  'define("__obS",(a,b,c,d,e,f)=>stub.writes?stub.writes.store(a,b,c,d,e,f):d);',
  'define("__obC",(a,b,c,d,e,f)=>stub.writes?stub.writes.change(a,b,c,d,e,f):e);',
  'define("__obF",{stub,',
  "x(a,b,c,d,e){if(stub.to)stub.to.x(a,b,c,d,e)},",
  "b(a,b,c,d){return stub.to?stub.to.b(a,b,c,d):a},",
  "p(a,b){return stub.to?stub.to.p(a,b):a},",
  "m(a,b){if(stub.to)stub.to.m(a,b);else add(stub.readers,[a,b])},",
  "e(base){if(stub.to)stub.to.e(base);else add(stub.ended,base)},",
  "k(a,b){if(stub.to)stub.to.k(a,b);else apply(keep,stub.privates,[a,b])},",
  "t(a,b){const c=caller();if(stub.to)stub.to.t(a,b,c);else add(stub.files,[a,b,c])},",
  "w(){stub.wantsWrites=true;if(stub.to)stub.to.w()},",
  "d(a,b,c,d,e,f){return stub.writes?stub.writes.remove(a,b,c,d,e,f):d},",
  "u(a,b,c,d,e,f,h){return stub.writes?stub.writes.update(a,b,c,d,e,f,h):e},",
  "o(value){return value},",
  "q(...a){if(stub.writes)return apply(stub.writes.follow,undefined,a)}});",
  // The script that a file is to the engine. Not to be had while a stack is being formatted.
  "const caller=()=>{const E=g.Error,had=hasOwn(E,'prepareStackTrace'),was=E.prepareStackTrace,limit=E.stackTraceLimit;try{",
  "try{E.stackTraceLimit=3;E.prepareStackTrace=(e,s)=>s;const s=new E().stack;return isArray(s)&&s[2]?s[2].getScriptNameOrSourceURL():undefined}",
  "finally{E.stackTraceLimit=limit;if(had)E.prepareStackTrace=was;else delete E.prepareStackTrace}}catch{}};",
  // Places: numbers, then what a file says, then where a column of it would be without probes.
  'const D="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",',
  "numbers=t=>{const out=[];let v=0,m=1;for(let i=0;i<t.length;i++){const d=D.indexOf(t[i]);v+=(d&31)*m;if(d>31)m*=32;else{out.push(v);v=0;m=1}}return out},",
  "placesOf=f=>{if(f[3])return f[3];const[,head,lines,marks]=f[1].split('\\n'),[line,column,growth]=head.split(' ').map(g.Number),m=numbers(marks),at=new g.Map;",
  "for(let i=0,id=0,l=0;i<m.length;i+=3){id+=m[i]&1?-(m[i]>>>1):m[i]>>>1;l+=m[i+1];at.set(id,[l,m[i+2]])}",
  "return f[3]={line,column,growth,lines:lines.split(';'),at}},",
  "ownColumn=(p,line,column)=>{const n=numbers(p.lines[line]||'');let from=0,own=0;for(let i=0;i<n.length;i+=2){if(column<=from+n[i])break;from+=n[i];own+=n[i];if(column<=from+(n[i+1]||0))return own;from+=n[i+1]||0}return own+column-from},",
  // The text of a function without probes.
  "toString=g.Function.prototype.toString,",
  "without=text=>{const mark=/\\/\\*__ob:0x([0-9a-f]{8})\\*\\//.exec(text);if(!mark)return text;",
  "const id=g.parseInt(mark[1],16),f=stub.files.find(f=>id>f[0]&&id<=f[0]+g.parseInt(f[1]));if(!f||!f[1].includes('\\n'))return text;",
  "const p=placesOf(f),[line,column]=p.at.get(id-f[0]),before=text.slice(0,mark.index).split('\\n').length-1,",
  "texts=text.split('\\n'),first=line-before;",
  "let start=before?numbers(p.lines[first]||'').reduce((a,b)=>a+b,0)-texts[0].length:column-mark.index;",
  "return texts.map((t,i)=>{const n=numbers(p.lines[first+i]||'');if(!n.length)return t;let at=i?0:-start,own='';",
  "for(let k=0;k<n.length;k++){if(!(k&1))own+=t.slice(g.Math.max(at,0),g.Math.max(at+n[k],0));at+=n[k]}return own}).join('\\n')},",
  "shown={toString(){const text=apply(toString,this===shown?toString:this===prepare?format:this,[]);try{return without(text)}catch{return text}}}.toString,",
  // The places of stack traces, where Node formats them.
  "format=g.Error.prepareStackTrace;",
  "const place=(f,line,column)=>{const p=placesOf(f),inHead=line-1===p.line&&column-1>p.column;return line+':'+(ownColumn(p,line-1,inHead?g.Math.max(p.column,column-1-p.growth):column-1)+1)},",
  "mapped=(text,count)=>{const all=text.split('\\n');for(let i=all.length-count;i<all.length;i++)for(const f of stub.files){const s=f[2];if(!s||!f[1].includes('\\n'))continue;",
  "all[i]=all[i].split(s+':').map((part,k)=>k?part.replace(/^(\\d+):(\\d+)/,(_,l,c)=>place(f,+l,+c)):part).join(s+':')}return all.join('\\n')},",
  "prepare={ErrorPrepareStackTrace(error,sites){const text=apply(format,this,[error,sites]);",
  "try{return typeof text!='string'||g.process.sourceMapsEnabled?text:mapped(text,sites.length)}catch{return text}}}.ErrorPrepareStackTrace;",
  // Where built-ins are frozen, or accessors as SES makes them, probes stay visible.
  "const put=(o,name,value)=>{try{O.defineProperty(o,name,{...O.getOwnPropertyDescriptor(o,name),value})}catch{}};",
  "put(g.Function.prototype,'toString',shown);",
  "const isNode=typeof format=='function'&&apply(toString,format,[]).startsWith('function ErrorPrepareStackTrace(');",
  "if(isNode)put(g.Error,'prepareStackTrace',prepare);",
  "stub.nativeText=toString;",
  "stub.restore=()=>{if(g.Function.prototype.toString===shown)put(g.Function.prototype,'toString',toString);if(g.Error.prepareStackTrace===prepare)put(g.Error,'prepareStackTrace',format)};",
].join("");
/** Marks a file that got its probes in a build; the recorder leaves it as it is. */
const BUILT = "/*__ob-built*/";

/** What stands in front of the first use of the globals, in place of `__obR`. */
export function headText({ note, notesWrites }: { note: string; notesWrites: boolean }): {
  text: string;
  /** Where the digits of the file's base stand in the text. */ idAt: number;
} {
  const install = `globalThis.__obF||(g=>{${INSTALL}})(globalThis)`;
  const writes = notesWrites ? "__obF.w&&__obF.w()," : "";
  const before = `(${BUILT}${install},${writes}__obF.t&&__obF.t(0x`;
  return {
    text: `${before}00000000,${JSON.stringify(note)}),__obR)`,
    idAt: before.length,
  };
}
