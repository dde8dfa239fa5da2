/**
 * `hamkit/merge`: brings logs together: each contact once, and the confirmations of LoTW, eQSL and QRZ with the contacts that they
 * confirm. Nothing is overwritten silently.
 *
 * @module hamkit/merge
 */
export { createContactIndex } from "./merge/contact-index.js";
export type { ContactIndex, FoundContact, SameContactOptions } from "./merge/contact-index.js";
export { createReportMatcher, matchReport, REPORT_SOURCES } from "./merge/match-report.js";
export type {
  MatchedContact,
  MatchedReport,
  MatchReportOptions,
  ReportMatch,
  ReportMatcher,
  ReportSource,
} from "./merge/match-report.js";
export { createLogMerger, mergeLogs } from "./merge/merge-logs.js";
export type {
  LogMerger,
  LogMergerOptions,
  MergedContact,
  MergedLogs,
  RecordStore,
} from "./merge/merge-logs.js";
export { mergeRecords } from "./merge/merge-records.js";
export type { FieldChange, FieldConflict, MergedRecord } from "./merge/merge-records.js";
