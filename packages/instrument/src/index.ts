export type {
  CompilerSettings,
  FunctionSite,
  Instrumented,
  InstrumentOptions,
  Language,
  Level,
  Local,
  LocalRole,
  ModuleFormat,
  PackedFunction,
  Position,
  PositionData,
  RingMask,
  Site,
  SiteKind,
  SiteTable,
  SkippedFunction,
  Untouched,
  VisibleLocal,
  WriteSite,
} from "./instrumented.ts";
export { eraseTypes, instrument } from "./instrument.ts";
export { findMarkers, originalText } from "./original-text.ts";
export { generatedPosition, originalPosition } from "./positions.ts";
export { rebase } from "./rebase.ts";
export {
  LOCAL_ROLES,
  siteAt,
  SITE_KINDS,
  visibleLocals,
  WRITE_METHODS,
  writeAt,
} from "./site-table.ts";
