/**
 * The half of this package that reads tables and rewrites ids, without the parser.
 *
 * For programs that run cached texts: loading the parser costs more than everything here.
 */
export type {
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
} from "./instrumented.ts";
export { originalText } from "./original-text.ts";
export { originalPosition } from "./positions.ts";
export { rebase } from "./rebase.ts";
export { siteAt, visibleLocals } from "./site-table.ts";
