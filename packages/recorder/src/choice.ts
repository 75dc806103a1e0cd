/**
 * What choosing files and shipping tables needs, for tools that write probes before a program runs.
 */
export {
  type BuiltTables,
  encodeTables,
  renewTable,
  tableHead,
  TABLE_ENDING,
  type TableHead,
} from "./built/table-file.ts";
export type { ProbeStub } from "./built/stub-handover.ts";
export { type Config, type ConfigOptions, resolveConfig } from "./config/resolve-config.ts";
export { createFileFilter, type FileFilter } from "./loader/file-filter.ts";
export { createFileLevels, type FileLevels } from "./loader/file-levels.ts";
export { textHash } from "./loader/text-hash.ts";
export { FIRST_BUILT_ID, LAST_ID } from "./runtime/module-registry.ts";
