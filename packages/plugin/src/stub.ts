/**
 * The text that stands in every built file: it defines what probes use where no recorder has done so.
 *
 * It is small, works in every JavaScript engine, says nothing, and keeps what a recorder that is
 * installed later wants to know (`ProbeStub` in the recorder). It uses nothing by name but
 * `globalThis`: the file around it may have any other name for itself.
 */

/** Defines the globals; `g` is the global object. */
const INSTALL = [
  "const define=(name,value)=>g.Object.defineProperty(g,name,{value}),",
  "stub={events:new g.Int32Array(262144),head:new g.Int32Array(16),activations:new g.Float64Array([1]),",
  "files:[],readers:[],ended:[],privates:new g.WeakMap,wantsWrites:false,to:undefined,writes:undefined};",
  'define("__obR",stub.events);define("__obH",stub.head);define("__obM",262143);define("__obA",stub.activations);',
  'define("__obW",(id,frame,value)=>stub.writes?stub.writes.write(id,frame,value):value);',
  'define("__obS",(...a)=>stub.writes?stub.writes.store(...a):a[3]);',
  'define("__obC",(...a)=>stub.writes?stub.writes.change(...a):a[4]);',
  'define("__obF",{stub,',
  "x(...a){if(stub.to)stub.to.x(...a)},",
  "b(...a){return stub.to?stub.to.b(...a):a[0]},",
  "p(...a){return stub.to?stub.to.p(...a):a[0]},",
  "m(...a){if(stub.to)stub.to.m(...a);else stub.readers.push(a)},",
  "e(base){if(stub.to)stub.to.e(base);else stub.ended.push(base)},",
  "k(...a){if(stub.to)stub.to.k(...a);else stub.privates.set(...a)},",
  "t(...a){a[2]=new g.Error;if(stub.to)stub.to.t(...a);else stub.files.push(a)},",
  "w(){stub.wantsWrites=true;if(stub.to)stub.to.w()},",
  "d(...a){return stub.writes?stub.writes.remove(...a):a[3]},",
  "u(...a){return stub.writes?stub.writes.update(...a):a[4]},",
  "o(value){return value},",
  "q(...a){if(stub.writes)return stub.writes.follow(...a)}});",
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
