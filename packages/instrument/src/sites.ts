/**
 * The half of this package that reads tables and rewrites ids, without the parser.
 *
 * For programs that run cached texts: loading the parser costs more than everything here.
 */
export type {
  CompilerSettings,
  FunctionSite,
  Instrumented,
  Local,
  LocalRole,
  PositionData,
  Site,
  SiteKind,
  SiteTable,
  SkippedFunction,
  VisibleLocal,
  WriteSite,
} from "./instrumented.ts";
export { type DecoratorApi, makeDecoratorApi } from "./decorate.ts";
export { DECORATORS } from "./made-names.ts";
export { findMarkers, originalText } from "./original-text.ts";
export { generatedPosition, originalPosition } from "./positions.ts";
export { rebase } from "./rebase.ts";
export {
  lastAtMost,
  positionOf,
  SITE_KINDS,
  siteAt,
  visibleLocals,
  WRITE_METHODS,
  writeAt,
} from "./site-table.ts";
