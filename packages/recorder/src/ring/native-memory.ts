/**
 * Maps a file into memory through koffi, when that is possible here.
 *
 * koffi is optional and is loaded when a ring is opened, never before. Its own loader costs 6 to 9 ms,
 * most of it JavaScript, so its native part is loaded directly where its place is known; any doubt
 * goes back to the ordinary way. Nothing is kept on disk between runs.
 */
import nodeFs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ownRequire } from "../runtime/own-require.ts";

const { existsSync } = nodeFs;
const dlopen = process.dlopen.bind(process);

/** Shared memory over files. */
export interface NativeMemory {
  /**
   * Maps the first `sizeBytes` of an open file, shared with the file. The descriptor may be closed
   * afterwards.
   *
   * @returns The mapping, or the `errno` when the system refuses.
   */
  map(descriptor: number, sizeBytes: number): { buffer: ArrayBuffer; address: bigint } | number;
  /**
   * Puts empty private memory in the place of a mapping, so that the file is let go. The buffer stays
   * valid: code that still writes to it harms nothing. Costs address space, and no memory.
   */
  release(address: bigint, sizeBytes: number): void;
}

interface KoffiLibrary {
  func(prototype: string): (...values: unknown[]) => unknown;
}

interface Koffi {
  load(path: string | null): KoffiLibrary;
  view(address: unknown, sizeBytes: number): ArrayBuffer;
  address(value: unknown): bigint;
  errno(): number;
}

const MAX_FOLDERS = 32;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const MAP_PRIVATE_FIXED = 0x12;
const MAP_ANONYMOUS: number = process.platform === "darwin" ? 0x1000 : 0x20;
/** `MAP_FAILED`, as koffi gives pointers: unsigned, in the width of the machine. */
const MAP_FAILED = [0xffff_ffff_ffff_ffffn, 0xffff_ffffn, -1n];

/**
 * Loads what is needed to map files.
 *
 * @returns The means, or the reason why there are none. Never throws.
 */
export function loadNativeMemory(): NativeMemory | { reason: string } {
  loaded ??= tryLoading();
  return loaded;
}

/** Of this thread; a worker loads its own. */
let loaded: NativeMemory | { reason: string } | undefined;

function tryLoading(): NativeMemory | { reason: string } {
  if (process.platform !== "linux" && process.platform !== "darwin") {
    return { reason: `files are not mapped on ${process.platform}` };
  }
  try {
    return bindMemory(loadKoffi());
  } catch (error) {
    const message = error instanceof Error ? error.message : "unknown error";
    return { reason: `koffi cannot be loaded: ${message.split("\n", 1)[0] ?? ""}` };
  }
}

function loadKoffi(): Koffi {
  const load = createRequire(import.meta.url);
  // Looking into a few folders takes a hundredth of the time of Node's own search, 1.4 ms.
  const file = nativePartAbove(import.meta.dirname) ?? nativePartBeside(load.resolve("koffi"));
  if (file !== undefined) {
    const holder: { exports: unknown } = { exports: {} };
    try {
      dlopen(holder, file);
      if (isKoffi(holder.exports)) return holder.exports;
    } catch {
      // Another libc or another layout than expected: koffi's own loader knows more.
    }
  }
  const koffi = ownRequire("koffi");
  if (!isKoffi(koffi)) throw new TypeError("koffi does not offer what is needed");
  return koffi;
}

/** Finds koffi's native part in a `node_modules` of this folder or one above it. */
function nativePartAbove(start: string): string | undefined {
  let folder = start;
  for (let i = 0; i < MAX_FOLDERS; i++) {
    const file = nativePartIn(join(folder, "node_modules"));
    const above = dirname(folder);
    if (file !== undefined || above === folder) return file;
    folder = above;
  }
  return undefined;
}

/** Finds it where a package manager with strict folders puts it: beside koffi, and nowhere else. */
function nativePartBeside(entryFile: string): string | undefined {
  return nativePartIn(join(dirname(entryFile), ".."));
}

/** Gives `<modules>/@koromix/koffi-<platform>-<arch>/<triplet>/koffi.node` when it is there. */
function nativePartIn(modules: string): string | undefined {
  const { platform, arch } = process;
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const folder = join(modules, "@koromix", `koffi-${platform}-${arch}`);
  const file = join(folder, `${platform}_${arch}`, "koffi.node");
  if (!existsSync(file)) return undefined;
  // On musl systems the file for glibc might load and misbehave.
  const muslLoader = arch === "x64" ? "/lib/ld-musl-x86_64.so.1" : "/lib/ld-musl-aarch64.so.1";
  return platform === "linux" && existsSync(muslLoader) ? undefined : file;
}

function isKoffi(value: unknown): value is Koffi {
  return (
    typeof value === "object" &&
    value !== null &&
    ["load", "view", "address", "errno"].every(
      (name) => typeof Reflect.get(value, name) === "function",
    )
  );
}

function bindMemory(koffi: Koffi): NativeMemory {
  const library = koffi.load(null);
  const mmap = library.func(
    "void *mmap(void *address, size_t size, int protection, int flags, int fd, int64_t offset)",
  );
  return {
    map(descriptor, sizeBytes) {
      const pointer = mmap(null, sizeBytes, PROT_READ_WRITE, MAP_SHARED, descriptor, 0);
      const address = typeof pointer === "bigint" ? pointer : koffi.address(pointer);
      if (MAP_FAILED.includes(address)) return koffi.errno();
      return { buffer: koffi.view(pointer, sizeBytes), address };
    },
    release(address, sizeBytes) {
      mmap(address, sizeBytes, PROT_READ_WRITE, MAP_PRIVATE_FIXED | MAP_ANONYMOUS, -1, 0);
    },
  };
}
