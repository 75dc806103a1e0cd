/** The public names of @orangebox/analysis. */
export { recentEvents } from "./events/recent-events.ts";
export type { EventKind, EventView } from "./events/recent-events.ts";
export type { AsyncBoundary, FrameKind, FrameView, Place } from "./extensions/frame-details.ts";
export { fingerprint, fingerprintText } from "./fingerprint.ts";
export { findAliases } from "./inspect/aliases.ts";
export type { Alias, AliasName } from "./inspect/aliases.ts";
export type { ExceptionView } from "./inspect/exception-views.ts";
export { INSPECT_JSON_VERSION, inspectJson, jsonId, jsonObjects } from "./inspect/inspect-json.ts";
export type { InspectJson, JsonId, JsonLimits, JsonObject } from "./inspect/inspect-json.ts";
export { inspectRecording } from "./inspect/inspection.ts";
export type { ExitView, Inspection, RuntimeView } from "./inspect/inspection.ts";
export type { CutNote, RedactionNote } from "./inspect/left-out.ts";
export { findNames } from "./inspect/object-names.ts";
export type { ObjectName, ObjectNames } from "./inspect/object-names.ts";
export { memberPath } from "./paths/member-path.ts";
export { parsePath } from "./paths/parse-path.ts";
export type { PathStep } from "./paths/parse-path.ts";
export { resolvePath } from "./paths/resolve-path.ts";
export type { PathOptions, ResolvedPath } from "./paths/resolve-path.ts";
export { searchRecording } from "./search/search-recording.ts";
export type { SearchHit, SearchResult } from "./search/search-recording.ts";
export { findSource, sourceWindow } from "./source/source-window.ts";
export type { InlineValue, SourceLine, WindowSize } from "./source/source-window.ts";
export { identifiers } from "./source/tokenize.ts";
export type { IdentifierToken } from "./source/tokenize.ts";
export { timelineJson, TIMELINE_JSON_VERSION } from "./writes/timeline-json.ts";
export type { JsonWrite, TimelineJson } from "./writes/timeline-json.ts";
export { WriteHistory, writeTarget, writeValueText } from "./writes/write-history.ts";
export type {
  ActivationState,
  ObjectReference,
  WriteFilter,
  WriteView,
} from "./writes/write-history.ts";
export { hasCrash, summarize } from "./summary.ts";
export type { Summary } from "./summary.ts";
export { isMapNode, isScalarKind, hasPositions } from "./values/node-kinds.ts";
export type { Language } from "./values/scalar-text.ts";
export { keyText, previewValue } from "./values/value-printer.ts";
export type { PreviewLimits, PrintableObjects } from "./values/value-printer.ts";
export { clipText, quoteText, visibleText } from "./values/visible-text.ts";
