/**
 * A PostgreSQL server of the campaign's own: a new cluster in a temporary folder, on a free port of
 * loopback, run by an ordinary user, gone afterwards.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  stop(): void;
}

/**
 * Starts a server; its superuser is called `orangebox` and needs no password.
 *
 * @throws {Error} saying what is missing when this machine has no PostgreSQL and cannot get it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPrograms() ?? installPrograms();
  const folder = mkdtempSync(join(tmpdir(), "orangebox-postgres-"));
  const account = ordinaryUser();
  chmodSync(folder, 0o700);
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, "data");
  const run = (program: string, args: readonly string[]): void => {
    const { status, stderr, error } = spawnSync(join(programs, program), args, {
      ...account,
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" },
    });
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.trim()}`);
  };
  const stop = (): void => {
    try {
      run("pg_ctl", ["stop", "--pgdata", data, "--mode", "immediate", "--silent"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    run("initdb", ["--pgdata", data, "--username", "orangebox", "--auth", "trust", "--no-sync"]);
    const port = await freePort();
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
    const log = join(folder, "log");
    run("pg_ctl", ["start", "--pgdata", data, "--log", log, "--wait", "--silent", "-o", settings]);
    return { host: "127.0.0.1", port, version: versionOf(programs), stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function findPrograms(): string | undefined {
  const folder = "/usr/lib/postgresql";
  const versions = existsSync(folder)
    ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a))
    : [];
  return versions
    .map((version) => join(folder, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** Debian's own package, where that is possible. */
function installPrograms(): string {
  const install = ["install", "--yes", "--no-install-recommends", "postgresql"];
  for (const args of [["update"], install]) {
    spawnSync("apt-get", args, {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  }
  const found = findPrograms();
  if (found === undefined) {
    throw new Error("PostgreSQL is missing and could not be installed: apt-get install postgresql");
  }
  return found;
}

/** PostgreSQL refuses to run as root; undefined when we are somebody else already. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name =
    Number.isInteger(idOf("-u", "postgres")) && idOf("-u", "postgres") > 0 ? "postgres" : "nobody";
  return { uid: idOf("-u", name), gid: idOf("-g", name) };
}

/** A number of an account; 0 when there is no such account. */
function idOf(flag: "-u" | "-g", name: string): number {
  return Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
}

function versionOf(programs: string): string {
  const { stdout } = spawnSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" });
  return stdout.trim();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : 0),
      );
    });
  });
}
