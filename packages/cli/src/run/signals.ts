/**
 * Hands signals on to the recorded program, each exactly once.
 *
 * Ctrl-C in a terminal reaches every process of the foreground group, the program included; a
 * `kill` reaches this process alone. Nothing tells the two apart from inside. So a third process,
 * a `cat` that does nothing, stands in the same group: when it dies of the signal too, the whole
 * group was meant and the program has it already; else it is handed on.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

/** Signals that somebody may send to this process in place of the program. */
const SIGNALS = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
] as const satisfies readonly NodeJS.Signals[];

/** On Windows, Node only knows these, and the console always sends them to every process. */
const WINDOWS_SIGNALS = [
  "SIGINT",
  "SIGBREAK",
  "SIGHUP",
] as const satisfies readonly NodeJS.Signals[];

/** How long the other process may take to die of a signal that the whole group got. */
const GROUP_SIGNAL_MS = 100;

/** Starts handing signals on to `child`; returns the undo. */
export function forwardSignals(child: ChildProcess): () => void {
  if (process.platform === "win32") {
    // Only keeps this process alive until the program has ended.
    return listen(WINDOWS_SIGNALS, () => undefined);
  }
  let witness = startWitness();
  const waiting = new Set<NodeJS.Timeout>();
  const undo = listen(SIGNALS, (signal) => {
    const asked = witness;
    let done = false;
    const decide = (): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      waiting.delete(timer);
      const wholeGroup = asked.signalCode === signal;
      if (asked.signalCode !== null || asked.exitCode !== null) witness = replace(witness, asked);
      if (!wholeGroup) child.kill(signal);
    };
    const timer = setTimeout(decide, GROUP_SIGNAL_MS);
    waiting.add(timer);
    if (asked.signalCode === null && asked.exitCode === null) asked.once("exit", decide);
    else decide();
  });
  return () => {
    undo();
    for (const timer of waiting) clearTimeout(timer);
    stop(witness);
  };
}

function replace(current: ChildProcess, dead: ChildProcess): ChildProcess {
  return current === dead ? startWitness() : current;
}

/** Starts the process that only shows whether a signal went to the whole group. */
function startWitness(): ChildProcess {
  // It ends by itself when this process does: its input closes. No core file at SIGQUIT.
  const witness = spawn("/bin/sh", ["-c", "ulimit -c 0; exec cat >/dev/null"], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
  });
  // Without a shell or `cat`, every signal is handed on.
  witness.on("error", () => undefined);
  witness.stdin?.on("error", () => undefined);
  witness.unref();
  return witness;
}

function stop(witness: ChildProcess): void {
  witness.stdin?.destroy();
  witness.kill("SIGKILL");
}

function listen(
  signals: readonly NodeJS.Signals[],
  onSignal: (signal: NodeJS.Signals) => void,
): () => void {
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
