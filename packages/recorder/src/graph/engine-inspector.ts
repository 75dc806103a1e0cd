/**
 * Opens a same-thread inspector session for what only the protocol tells: generator states, bound functions.
 *
 * Making a remote object of an error reads its `name`, `message` and `stack` on some versions of Node,
 * so the session finds out first, with an error of its own, whether this one is free of effects.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
/* oxlint-disable typescript/unbound-method -- copied to be called with a receiver. */
import { setData } from "./primordials.ts";
import {
  ErrorConstructor,
  SafeMap,
  defineProperty,
  getOwnPropertyDescriptor,
  item,
  ownData,
  reflectApply,
  withOriginals,
} from "./primordials.ts";

const { getBuiltinModule } = process;

const sinkName = "__orangeboxSink";

interface Remote {
  readonly type?: string;
  readonly value?: unknown;
  readonly objectId?: string;
  readonly unserializableValue?: string;
}

/** One same-thread inspector session; values come back through a global that exists for one call. */
export class InspectorSession {
  /** Whether making remote objects of errors runs no accessor on this version. */
  readonly isEffectFree: boolean;
  readonly #post: (method: string, params: object) => Record<string, unknown> | undefined;
  readonly #disconnect: () => void;

  constructor(
    post: (method: string, params: object) => Record<string, unknown> | undefined,
    disconnect: () => void,
  ) {
    this.#post = post;
    this.#disconnect = disconnect;
    this.isEffectFree = this.#looksEffectFree();
  }

  close(): void {
    try {
      this.#post("Runtime.releaseObjectGroup", { objectGroup: sinkName });
      this.#disconnect();
    } catch {
      // The session dies with us either way.
    }
  }

  #looksEffectFree(): boolean {
    if (
      typeof ownData(ErrorConstructor, "prepareStackTrace") === "function" &&
      !hasDefaultPrepare()
    ) {
      return false;
    }
    let touched = false;
    const watched = new Error("watched");
    for (const name of ["stack", "name", "message"]) {
      defineProperty(watched, name, {
        __proto__: null,
        configurable: true,
        get: () => {
          touched = true;
          return "";
        },
      } as PropertyDescriptor);
    }
    this.#remoteOf(watched);
    return !touched;
  }

  #withSink<T>(sink: object, use: () => T): T | undefined {
    const root = globalThis;
    if (getOwnPropertyDescriptor(root, sinkName) !== undefined) return undefined;
    try {
      setData(root, sinkName, sink);
      return use();
    } catch {
      return undefined;
    } finally {
      try {
        delete (root as Record<string, unknown>)[sinkName];
      } catch {
        // A sealed global object refused the definition too.
      }
    }
  }

  #remoteOf(value: object): Remote | undefined {
    return this.#withSink({ __proto__: null, value }, () => {
      const answer = this.#post("Runtime.evaluate", {
        expression: `${sinkName}.value`,
        objectGroup: sinkName,
        silent: true,
      });
      return answer?.["result"] as Remote | undefined;
    });
  }

  /** Values of internal properties by name, live; object values are fetched through the sink. */
  internalsOf(object: object, names: readonly string[]): SafeMap<string, unknown> | undefined {
    const remote = this.#remoteOf(object);
    if (remote?.objectId === undefined) return undefined;
    const answer = this.#post("Runtime.getProperties", {
      objectId: remote.objectId,
      ownProperties: true,
    });
    const list = answer?.["internalProperties"] as { name: string; value?: Remote }[] | undefined;
    if (list === undefined) return undefined;
    const found = new SafeMap<string, unknown>();
    for (let at = 0; at < list.length; at++) {
      const { name, value } = item(list, at);
      let wanted = false;
      for (let which = 0; which < names.length; which++) if (names[which] === name) wanted = true;
      if (!wanted || value === undefined) continue;
      found.set(name, value.objectId === undefined ? value.value : this.#fetch(value.objectId));
    }
    return found;
  }

  #fetch(objectId: string): unknown {
    const sink: { value?: unknown } = { __proto__: null } as object;
    this.#withSink(sink, () =>
      this.#post("Runtime.callFunctionOn", {
        objectId,
        functionDeclaration: `function () { ${sinkName}.value = this; }`,
        silent: true,
      }),
    );
    return ownData(sink, "value");
  }
}

const loadedPrepare: unknown = getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value;

function hasDefaultPrepare(): boolean {
  return ownData(ErrorConstructor, "prepareStackTrace") === loadedPrepare;
}

/** A connected session, or why there is none. */
export function openSession(): InspectorSession | string {
  try {
    const { Session } = getBuiltinModule("node:inspector");
    const session = new Session();
    session.connect();
    const post = session.post;
    return new InspectorSession(
      (method, params) => {
        let answer: Record<string, unknown> | undefined;
        const keep = (error: unknown, result: unknown): void => {
          if (error === null) answer = result as Record<string, unknown>;
        };
        withOriginals(() => reflectApply(post as never, session, [method, params, keep]));
        return answer;
      },
      () => session.disconnect(),
    );
  } catch (error) {
    const message = ownData(error as object, "message");
    return typeof message === "string" ? message : "the inspector is not available";
  }
}
