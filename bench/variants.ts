/**
 * The ways in which a program is started: plain, recorded, and under each peer. Peers are installed
 * on demand into `.cache/`, from a manifest that pins their version.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installPinned } from "../scripts/install-pinned.ts";
import { builtRecorder, recordedEnvironment, registerFile } from "../scripts/recorded-start.ts";

export interface Start {
  /** The folder of the program and of what is measured. */
  readonly root: string;
  /** Where recordings and reports go. */
  readonly out: string;
  /** Where caches may go; shared by runs that may profit from each other. */
  readonly cache: string;
}

export interface Variant {
  readonly name: string;
  readonly version: string;
  /** Arguments for node, in front of the program. */
  nodeArgs(start: Start): string[];
  env(start: Start): Record<string, string>;
}

export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** The program as it is. */
const plain: Variant = {
  name: "plain",
  version: process.version,
  nodeArgs: () => [],
  env: () => ({}),
};

/** The program under the recorder of this repository, as built. */
const recorded: Variant = {
  name: "recorded",
  version: "this repository",
  nodeArgs: () => ["--require", registerFile],
  env: ({ out, cache }) => ({
    ...recordedEnvironment({ out, cache }),
    ORANGEBOX_REPORT: join(out, "report.jsonl"),
  }),
};

/** The same at a finer level. */
function recordedAt(level: "lines" | "writes"): Variant {
  return {
    ...recorded,
    name: level,
    env: (start) => ({ ...recorded.env(start), ORANGEBOX_LEVEL: level }),
  };
}

type PeerName = "sentry" | "inspector" | "appmap" | "istanbul";

const PEERS: Record<PeerName, () => Variant> = {
  sentry: () => preloaded("sentry", installPeer("sentry", "@sentry/node")),
  inspector: () => preloaded("inspector", { folder: "", version: process.version }),
  istanbul: () => preloaded("istanbul", installPeer("istanbul", "istanbul-lib-instrument")),
  appmap: () => {
    const { folder, version } = installPeer("appmap", "appmap-node");
    const dist = join(folder, "node_modules/appmap-node/dist");
    return {
      name: "appmap",
      version,
      // What its command line does, without its second process.
      nodeArgs: () => [
        "--require",
        join(dist, "register.js"),
        "--loader",
        pathToFileURL(join(dist, "loader.js")).href,
        "--no-warnings",
      ],
      env: ({ root: programRoot }) => ({ APPMAP_ROOT: programRoot }),
    };
  },
};

/** Probes written by hand: another program, started as it is. */
const byHand: Variant = { ...plain, name: "by hand" };

/** A loader hook by hand: the least that any way of handing out other texts costs at the start. */
function hooked(name: string, hasTexts: boolean): Variant {
  return {
    ...byHand,
    name,
    nodeArgs: () => ["--require", join(root, "bench/programs/hook.cjs")],
    env: ({ root: programRoot, cache }) => ({
      HOOK_CACHE: join(cache, name),
      ...(hasTexts ? { HOOK_TEXT: join(programRoot, "../longer") } : {}),
    }),
  };
}

/** The smallest probes, written into every function by hand (forms.ts). */
export const FORMS = ["entry", "entry and return", "finally", "rethrow"] as const;

export type Form = (typeof FORMS)[number];

export function isForm(name: string): name is Form {
  return FORMS.some((form) => form === name);
}

/** @throws {Error} when a peer cannot be installed, or when the recorder is not built. */
export function findVariant(name: string): Variant {
  if (name === "plain") return plain;
  if (name === "by hand") return byHand;
  if (name === "a hook" || name === "longer texts") return hooked(name, name === "longer texts");
  if (isForm(name)) return { ...byHand, name };
  if (name === "recorded" || name === "lines" || name === "writes") {
    if (!existsSync(builtRecorder)) throw new Error(`${builtRecorder} is missing: npm run build`);
    return name === "recorded" ? recorded : recordedAt(name);
  }
  if (!isPeer(name)) throw new TypeError(`no variant is called ${name}`);
  return PEERS[name]();
}

function isPeer(name: string): name is PeerName {
  return Object.hasOwn(PEERS, name);
}

interface Installed {
  readonly folder: string;
  readonly version: string;
}

function installPeer(peer: PeerName, packageName: string): Installed {
  const folder = installPinned(
    join(root, "bench/peers", peer),
    join(root, ".cache", `peer-${peer}`),
  );
  return { folder, version: installedVersion(folder, packageName) };
}

function installedVersion(folder: string, packageName: string): string {
  const manifest: unknown = JSON.parse(
    readFileSync(join(folder, "node_modules", packageName, "package.json"), "utf8"),
  );
  return (manifest as { version: string }).version;
}

function preloaded(peer: PeerName, { folder, version }: Installed): Variant {
  return {
    name: peer,
    version,
    nodeArgs: () => ["--require", join(root, "bench/peers", peer, "start.cjs")],
    env: ({ root: programRoot, out }) => ({
      BENCH_PEER: folder,
      BENCH_OUT: out,
      BENCH_ROOT: programRoot,
    }),
  };
}
