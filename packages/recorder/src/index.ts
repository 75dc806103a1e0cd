/** The public names of the recorder. */
export { adapter } from "./graph/adapters.ts";
export {
  capture,
  captureSync,
  configure,
  dump,
  type CaptureOptions,
  type Stats,
  stats,
} from "./api.ts";
export {
  type CacheReport,
  type CacheSources,
  type CacheVersion,
  cacheReport,
  clearCache,
} from "./cache-report.ts";
export type { Config, ConfigOptions } from "./config/resolve-config.ts";
export { install, isInstalled, uninstall } from "./install.ts";
export { record, type RecordedScope, type ScopeOptions, startRecording, watch } from "./scope.ts";
export { type RuntimeFacts, runtimeFacts } from "./runtime-facts.ts";
export { type Inheritance, recordedEnvironment, stackOption } from "./children/inheritance.ts";
export { registerFile } from "./register-file.ts";
