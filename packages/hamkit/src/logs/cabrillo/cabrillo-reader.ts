/**
 * Reads Cabrillo files (contest logs) as ADIF fields.
 *
 * @see https://wwrof.org/cabrillo: Cabrillo v3, the header and the QSO lines.
 */
import { parseQsoLine, qsoFields, type CabrilloQso, type ReportColumn } from "./cabrillo-qso.js";
import {
  addProblem,
  noProblems,
  sharedFrame,
  type Log,
  type LogField,
  type ProblemList,
  type Qso,
  type QsoFrame,
} from "../log.js";
import { marginsOf, textLines } from "../contest-log.js";

/** Parses a Cabrillo file. Lines that aren't QSOs become the header's text, wherever they are. */
export function readCabrillo(text: string): Log {
  const problems = noProblems();
  const header: string[] = [];
  const read: NumberedQso[] = [];
  let lastLine = 1;
  let before: string | undefined;
  let gap = "";
  let hasStarted = false;
  for (const { number, text: content, ending } of textLines(text)) {
    if (content.trim() !== "") lastLine = number;
    if (/^\s*START-OF-LOG:/i.test(content)) {
      if (!hasStarted && header.length > 0)
        addProblem(problems, { line: number, kind: "line", message: "text before START-OF-LOG" });
      hasStarted = true;
    }
    const isQso = /^\s*(?:X-)?QSO:/i.test(content);
    const qso = isQso ? parseQsoLine(content.trim()) : undefined;
    if (qso === undefined) {
      gap += content + ending;
      if (content.trim() !== "") header.push(content.trimEnd());
      if (isQso) addProblem(problems, { line: number, kind: "line", message: noQso(content) });
      continue;
    }
    if (before === undefined) [before, gap] = [gap, ""];
    const [indent, trailing] = marginsOf(content);
    const frame = sharedFrame(read.at(-1)?.frame, gap + indent, trailing + ending);
    read.push({ line: number, qso, frame });
    gap = "";
  }
  if (!header.some((line) => /^\s*END-OF-LOG:/i.test(line))) {
    const message = "END-OF-LOG is missing: the file may be truncated";
    addProblem(problems, { line: lastLine, kind: "end", message });
  }
  const cabrillo = before === undefined ? { before: gap, after: "" } : { before, after: gap };
  const qsos = toQsos(read, headerFields(header), problems);
  return { format: "cabrillo", header: { text: header.join("\n"), fields: [] }, qsos, ...problems, cabrillo };
}

interface NumberedQso {
  readonly line: number;
  readonly qso: CabrilloQso;
  readonly frame: QsoFrame;
}

function noQso(line: string): string {
  return `not a valid QSO line: ${JSON.stringify(line.trim().slice(0, 80))}`;
}

/** The value of a line of the header; "" without it. */
export function headerValue(header: readonly string[], name: string): string {
  const line = header.find((one) => one.toUpperCase().trimStart().startsWith(`${name}:`));
  return line?.slice(line.indexOf(":") + 1).trim() ?? "";
}

/** The fields of the header that apply to every QSO. */
function headerFields(header: readonly string[]): LogField[] {
  const operators = headerValue(header, "OPERATORS")
    .split(/[\s,]+/)
    .filter((word) => word !== "" && !word.startsWith("@"));
  return [
    { name: "CONTEST_ID", value: headerValue(header, "CONTEST") },
    { name: "MY_GRIDSQUARE", value: headerValue(header, "GRID-LOCATOR") },
    { name: "OPERATOR", value: operators.length === 1 ? (operators[0] ?? "") : "" },
  ].filter((field) => field.value !== "");
}

/**
 * Whether exchanges begin with reports is decided by the whole log: a serial number may look like a report. Of numbers counted from 1
 * more than a tenth don't; a damaged line must not take the reports from all others.
 */
function haveReports(read: readonly NumberedQso[]): boolean {
  const others = read.filter(({ qso }) => !beginsWithReports(qso)).length;
  return others <= (read.length < MIN_LINES ? 0 : Math.max(1, Math.floor(read.length / 10)));
}

/** Fewer lines have no majority. */
const MIN_LINES = 4;

function toQsos(read: readonly NumberedQso[], shared: readonly LogField[], problems: ProblemList): Qso[] {
  const hasReports = haveReports(read);
  let fields: LogField[] = [];
  return read.map(({ line, qso, frame }) => {
    const report: ReportColumn = (kind, message) => addProblem(problems, { line, kind, message });
    const isSplit = hasReports && beginsWithReports(qso);
    if (isSplit !== hasReports)
      report(
        "line",
        `expected signal reports, as other lines have: ${JSON.stringify(qso.text.slice(0, 80))}`,
      );
    fields = qsoFields(qso, isSplit, report, fields).concat(shared);
    return { line, fields, cabrillo: frame };
  });
}

function beginsWithReports({ sent, received }: CabrilloQso): boolean {
  return isReport(sent[0]) && isReport(received[0]);
}

function isReport(word = ""): boolean {
  return /^(?:[1-5][1-9][1-9]?|[+-]\d\d?)$/.test(word);
}
