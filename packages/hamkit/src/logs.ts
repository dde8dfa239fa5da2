/**
 * `hamkit/logs`: reads logs in ADIF, Cabrillo, EDI and FLE, annotates them with data of their callsigns, and writes them.
 *
 * @module hamkit/logs
 */
export {
  annotateLog,
  type AnnotateLogOptions,
  type AnnotatedLog,
  type UnidentifiedQso,
} from "./logs/annotation/annotation.js";
export type { Disagreement } from "./logs/annotation/qso-edit.js";
export { fieldValue } from "./logs/log.js";
export type { Log, LogField, LogFormat, LogHeader, LogProblem, Qso, QsoFrame } from "./logs/log.js";
export type { LogSummary } from "./logs/annotation/log-summary.js";
export { readLog } from "./logs/read-log.js";
export type { ReadLogOptions } from "./logs/read-log.js";
export { writeLog } from "./logs/write-log.js";
export type { OutputFormat, WriteLogOptions } from "./logs/write-log.js";
