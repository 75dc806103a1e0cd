/** What programs import from `orangebox`: the recorder, and reading what it wrote. */
export {
  fingerprint,
  inspectJson,
  inspectRecording,
  previewValue,
  resolvePath,
  searchRecording,
  summarize,
} from "@orangebox/analysis";
export type { Inspection, InspectJson, Summary } from "@orangebox/analysis";
export { read, readSync } from "@orangebox/cli/read";
export type { RecordingInput } from "@orangebox/cli/read";
export { FlightError, isFlightError } from "@orangebox/format";
export type { FlightErrorCode, Recording } from "@orangebox/format";
export {
  adapter,
  capture,
  captureSync,
  configure,
  dump,
  install,
  isInstalled,
  record,
  startRecording,
  stats,
  uninstall,
  watch,
} from "@orangebox/recorder";
export type {
  CaptureOptions,
  Config,
  ConfigOptions,
  RecordedScope,
  ScopeOptions,
  Stats,
} from "@orangebox/recorder";
