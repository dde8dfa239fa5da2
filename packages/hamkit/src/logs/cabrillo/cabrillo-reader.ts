/**
 * Reads Cabrillo files (contest logs) as ADIF fields.
 *
 * @see https://wwrof.org/cabrillo: Cabrillo v3, the header and the QSO lines.
 */
import { parseQsoLine, qsoFields, type CabrilloQso } from "./cabrillo-qso.js";
import type { Log, LogField, Qso } from "../log.js";
import { addProblem, noProblems } from "../problem-list.js";

/** Parses a Cabrillo file. Lines that aren't QSOs become the header's text, wherever they are. */
export function readCabrillo(text: string): Log {
  const problems = noProblems();
  const header: string[] = [];
  const read: NumberedQso[] = [];
  const lines = text.trimEnd().split(/\r\n|\n|\r/);
  for (const [index, content] of lines.entries()) {
    const isQso = /^\s*(?:X-)?QSO:/i.test(content);
    const qso = isQso ? parseQsoLine(content.trim()) : undefined;
    if (qso !== undefined) read.push({ line: index + 1, qso });
    else if (content.trim() !== "") header.push(content.trimEnd());
    if (isQso && qso === undefined)
      addProblem(problems, { line: index + 1, kind: "line", message: noQso(content) });
  }
  if (!header.some((line) => /^\s*END-OF-LOG:/i.test(line))) {
    const message = "END-OF-LOG is missing: the file may be truncated";
    addProblem(problems, { line: lines.length, kind: "end", message });
  }
  const qsos = toQsos(read, headerFields(header));
  return { format: "cabrillo", header: { text: header.join("\n"), fields: [] }, qsos, ...problems };
}

interface NumberedQso {
  readonly line: number;
  readonly qso: CabrilloQso;
}

function noQso(line: string): string {
  return `not a valid QSO line: ${JSON.stringify(line.trim().slice(0, 80))}`;
}

/** The fields of the header that apply to every QSO. */
function headerFields(header: readonly string[]): LogField[] {
  const value = (name: string) => {
    const line = header.find((one) => one.toUpperCase().trimStart().startsWith(`${name}:`));
    return line?.slice(line.indexOf(":") + 1).trim() ?? "";
  };
  const operators = value("OPERATORS")
    .split(/[\s,]+/)
    .filter((word) => word !== "" && !word.startsWith("@"));
  return [
    { name: "CONTEST_ID", value: value("CONTEST") },
    { name: "MY_GRIDSQUARE", value: value("GRID-LOCATOR") },
    { name: "OPERATOR", value: operators.length === 1 ? (operators[0] ?? "") : "" },
  ].filter((field) => field.value !== "");
}

/** Whether exchanges begin with reports is decided by the whole log: a serial number may look like a report. */
function toQsos(read: readonly NumberedQso[], shared: readonly LogField[]): Qso[] {
  const hasReports = read.every(({ qso }) => isReport(qso.sent[0]) && isReport(qso.received[0]));
  let fields: LogField[] = [];
  return read.map(({ line, qso }) => {
    fields = qsoFields(qso, hasReports, fields).concat(shared);
    return { line, fields };
  });
}

function isReport(word = ""): boolean {
  return /^(?:[1-5][1-9][1-9]?|[+-]\d\d?)$/.test(word);
}
