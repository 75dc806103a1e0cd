/**
 * What a program can ask of its recorder.
 */
import { calledBy, currentRecorder, install, reconfigure } from "./install.ts";
import { type Config, type ConfigOptions, resolveConfig } from "./config/resolve-config.ts";
import { announce } from "./crash/announce.ts";
import { pauseForFrames } from "./crash/pause.ts";
import type { CaptureOutcome } from "./crash/capture-box.ts";
import type { RecorderStats } from "./recorder.ts";

/** How a box that the program asks for is made. */
export interface CaptureOptions {
  /** Exact file; an existing one is not replaced, the new one gets a number. */
  readonly path?: string;
  /** Default `capture`. */
  readonly reason?: string;
}

/** Counters of this thread; all 0 when it is not recorded. */
export type Stats = RecorderStats;

/**
 * Writes a box now, without ending the program.
 *
 * With an error: its frames and values as they were when it passed. Without: the frames that are
 * on the stack at this moment, taken by one pause of the engine.
 *
 * @returns The path of the box, or undefined when none was written. Never throws.
 */
export function captureSync(error?: unknown, options: CaptureOptions = {}): string | undefined {
  const recorder = currentRecorder();
  if (recorder === undefined) return undefined;
  const hasError = error !== undefined;
  const request = {
    error,
    reason: options.reason ?? "capture",
    path: options.path,
    isExplicit: true,
    hasError,
  };
  const outcome = hasError
    ? recorder.capture(request)
    : pauseForFrames(recorder, (frames) => recorder.capture({ ...request, frames }));
  if (outcome.problem !== undefined) announce(recorder.config, outcome, request.reason);
  return outcome.path;
}

/** The same as {@link captureSync}; the box is on disk when the promise is fulfilled. */
export async function capture(
  error?: unknown,
  options: CaptureOptions = {},
): Promise<string | undefined> {
  return captureSync(error, options);
}

/** Writes a box with the ring only. @returns Its path, or undefined. Never throws. */
export function dump(path?: string): string | undefined {
  const recorder = currentRecorder();
  if (recorder === undefined) return undefined;
  const outcome: CaptureOutcome = recorder.capture({
    error: undefined,
    hasError: false,
    reason: "dump",
    frames: [],
    isExplicit: true,
    path,
  });
  return outcome.path;
}

/**
 * Changes the configuration while recording: output, budgets, scrubbing.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG`, as `install`.
 */
export function configure(options: ConfigOptions): Config {
  const recorder = currentRecorder();
  if (recorder === undefined) return calledBy(configure, () => install(options));
  const { origins: _origins, ...current } = recorder.config;
  const config = calledBy(configure, () =>
    resolveConfig({
      code: { ...current, ...options, scrub: { ...current.scrub, ...options.scrub } },
      env: {},
      cwd: process.cwd(),
    }),
  );
  reconfigure(recorder, config);
  return config;
}

/** What was recorded so far in this thread. */
export function stats(): Stats {
  return (
    currentRecorder()?.stats() ?? {
      totalEvents: 0,
      ringCapacity: 0,
      modules: 0,
      sites: 0,
      untouched: 0,
      boxes: 0,
      mapping: "memory",
    }
  );
}
