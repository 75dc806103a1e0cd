/**
 * Lives beside the program's other loaders: hooks, `require.extensions`, and what they compile.
 *
 * Hooks that the program registers must see the text as it is on disk, so ours stay outermost: they
 * are registered again behind each new one. Extension handlers (ts-node, Babel, pirates …) hand the
 * text that is run to `Module.prototype._compile`; there, and only for their files, we take it.
 */
import * as nodeModule from "node:module";
import { printAs } from "../stack/function-text.ts";
import { functionToString, SafeWeakMap } from "../runtime/primordials.ts";

type Handler = (module: NodeJS.Module, filename: string) => unknown;
type Compile = (
  this: NodeJS.Module,
  text: unknown,
  filename: unknown,
  ...rest: unknown[]
) => unknown;

type Extensions = Readonly<Record<string, Handler | undefined>>;

interface ModuleClass {
  _extensions: Extensions;
  readonly prototype: { _compile: Compile };
}

/** Text that only Node's own handlers have: the copies of built-ins that its modules use. */
const NODES_OWN =
  /\b(?:StringPrototype\w+|loadSource|getMaybeCachedSource|setOwnProperty|process\.dlopen)\(/;

type Hooks = Parameters<typeof nodeModule.registerHooks>[0];

/** What the program's other loaders mean for a file. */
export interface OtherLoaders {
  /** Whether `require` of this file goes through a handler of the program's. */
  handles(filename: string): boolean;
  /** Whether text that Node's loader gives may differ from the file's: something may rewrite it. */
  mayRewrite(): boolean;
  /** Registers further hooks of ours. */
  registerMore(more: Hooks): { deregister(): void };
  uninstall(): void;
}

/** What happens to a text that a handler of the program's made. */
export interface Compilation {
  /** Gives what is run instead. */
  compiled(text: string, filename: string): string;
  /** Calls on, without a trace in the program's stacks. */
  callHidden<Result>(step: () => Result): Result;
  /** Told before `Module.prototype._compile` is replaced. */
  compileIsReplaced(): void;
}

/**
 * Registers our hooks, and keeps them outermost.
 *
 */
export function installBesideOthers(hooks: Hooks, compilation: Compilation): OtherLoaders {
  const Module = process.getBuiltinModule("node:module") as unknown as ModuleClass & {
    registerHooks: typeof nodeModule.registerHooks;
    register: typeof nodeModule.register;
  };
  const { apply } = Reflect;
  const undo: (() => void)[] = [];
  let mayRewrite = hasPreloads();

  const { registerHooks, register } = Module;
  let ours = registerHooks(hooks);
  undo.push(() => ours.deregister());

  const replace = <Name extends "registerHooks" | "register">(
    name: Name,
    wrapper: (typeof Module)[Name],
  ): void => {
    const original = Module[name];
    printAs(wrapper, original);
    Module[name] = wrapper;
    undo.push(() => {
      if (Module[name] !== wrapper) return;
      Module[name] = original;
      syncExports();
    });
  };
  if (typeof register === "function") {
    replace(
      "register",
      {
        register(this: unknown, ...rest: Parameters<typeof register>): ReturnType<typeof register> {
          mayRewrite = true;
          return apply(register, this, rest);
        },
      }.register as typeof register,
    );
  }
  replace(
    "registerHooks",
    {
      registerHooks(
        this: unknown,
        ...rest: Parameters<typeof registerHooks>
      ): ReturnType<typeof registerHooks> {
        const theirs = apply(registerHooks, this, rest);
        mayRewrite = true;
        ours.deregister();
        ours = registerHooks(hooks);
        return theirs;
      },
    }.registerHooks,
  );
  syncExports();

  const isOwn = new SafeWeakMap<object, boolean>();
  const isNodes = (handler: Handler): boolean => {
    const known = isOwn.get(handler);
    if (known !== undefined) return known;
    const answer = NODES_OWN.test(functionToString(handler));
    isOwn.set(handler, answer);
    return answer;
  };
  const handlesWith = (extensions: Extensions, filename: string): boolean => {
    const handler = handlerOf(extensions, filename);
    return typeof handler === "function" && !isNodes(handler);
  };
  const handles = (filename: string): boolean => handlesWith(Module._extensions, filename);
  undo.push(interceptCompile(Module, handlesWith, compilation));
  return {
    handles,
    mayRewrite: () => mayRewrite,
    registerMore: (more) => registerHooks(more),
    uninstall() {
      for (const step of undo.toReversed()) step();
    },
  };
}

/** Chosen as Node does: the longest ending that has a handler. */
function handlerOf(extensions: Extensions, filename: string): Handler | undefined {
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  for (let at = name.indexOf(".", 1); at > 0; at = name.indexOf(".", at + 1)) {
    const handler = extensions[name.slice(at)];
    if (handler !== undefined) return handler;
  }
  return extensions[".js"];
}

/** Whether something else that the command line preloads may have registered hooks before us. */
function hasPreloads(): boolean {
  // What loads the recorder is taken out of both by now.
  const flags = `${process.execArgv.join(" ")} ${process.env["NODE_OPTIONS"] ?? ""}`;
  return /(?:^|\s)(?:-r|--require|--import|--(?:experimental-)?loader)\b/.test(flags);
}

/** ES modules that imported the functions by name see the new ones. */
function syncExports(): void {
  try {
    nodeModule.syncBuiltinESMExports();
  } catch {
    // They keep the ones they have.
  }
}

/**
 * Takes what handlers of the program's compile, once there is such a handler.
 *
 * Node reads `Module._extensions` before it calls a handler: an accessor there notices new ones and
 * adds no frame to any stack. `Module.prototype._compile` stays Node's own until then.
 */
function interceptCompile(
  Module: ModuleClass,
  handles: (extensions: Extensions, filename: string) => boolean,
  compilation: Compilation,
): () => void {
  const { prototype } = Module;
  const { defineProperty, getOwnPropertyDescriptor, keys } = Object;
  const extensions = getOwnPropertyDescriptor(Module, "_extensions");
  if (extensions?.configurable !== true || extensions.value === undefined) return () => undefined;
  let current = extensions.value as Extensions;
  let replaced: { readonly original: Compile; readonly wrapper: Compile } | undefined;
  const look = (): void => {
    const endings = keys(current);
    for (let i = 0; i < endings.length; i++) {
      if (!handles(current, `file${endings[i]}`)) continue;
      const original = prototype._compile;
      if (original === replaced?.wrapper) return;
      const wrapper = compileWrapper(original, (name) => handles(current, name), compilation);
      replaced = { original, wrapper };
      compilation.compileIsReplaced();
      prototype._compile = wrapper;
      return;
    }
  };
  defineProperty(Module, "_extensions", {
    configurable: true,
    enumerable: extensions.enumerable ?? true,
    get() {
      if (replaced === undefined) {
        try {
          look();
        } catch {
          // Files of that handler are not recorded then.
        }
      }
      return current;
    },
    set(value: unknown) {
      current = value as Extensions;
    },
  });
  return () => {
    defineProperty(Module, "_extensions", { ...extensions, value: current });
    if (replaced !== undefined && prototype._compile === replaced.wrapper) {
      prototype._compile = replaced.original;
    }
  };
}

function compileWrapper(
  original: Compile,
  handles: (filename: string) => boolean,
  { compiled, callHidden }: Compilation,
): Compile {
  const { apply } = Reflect;
  const wrapper: Compile = function (text, filename, ...rest) {
    const isTheirs = typeof text === "string" && typeof filename === "string" && handles(filename);
    // Node takes the types out itself when the format says that there are some.
    const isPlain = rest[0] === undefined || rest[0] === "commonjs";
    const instrumented = isTheirs && isPlain ? compiled(text, filename) : text;
    const call = (): unknown => apply(original, this, [instrumented, filename, ...rest]);
    return callHidden(call);
  };
  Object.defineProperty(wrapper, "name", { value: original.name, configurable: true });
  Object.defineProperty(wrapper, "length", { value: original.length, configurable: true });
  printAs(wrapper, original);
  return wrapper;
}
