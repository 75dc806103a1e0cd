type   A<T>={[K in keyof T]?:T[K]extends Function?never:T[K]};   export   async function*   g<T>( this:void,{a,b=1,...rest}:A<any>,...args:T[] ):AsyncGenerator<T>{ for await(const x of args)yield x as T;label:for(;;){if(a)continue label;else break}
 return `x${a?`nested ${b}`:''}`  as never}
@decorator() abstract class C<in out T> extends (class{}) implements I{ declare x:number;private readonly y?=1n;static{console.log(/re[/]x/giu,0xFF_FF,.5e-10)} get z(){return this?.y!?.toString() ?? (a,b)} }
