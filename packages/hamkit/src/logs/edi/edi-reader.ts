/**
 * Reads EDI files (REG1TEST), the contest logs of IARU Region 1 above 30 MHz, as ADIF fields.
 *
 * @see https://www.vushf.dk/Pages/contest/reg1test.htm: REG1TEST, issue 1.1 of 1995.
 */
import {
  addProblem,
  noProblems,
  sharedFrame,
  type Log,
  type LogField,
  type Qso,
  type QsoFrame,
} from "../log.js";
import { marginsOf, textLines } from "../contest-log.js";
import { parseRecord, recordFields } from "./edi-record.js";
import { bandOfEdi } from "./edi-tables.js";

/** Parses an EDI file. Lines that aren't QSOs become the header's text. */
export function readEdi(text: string): Log {
  const problems = noProblems();
  const header: string[] = [];
  const read: { readonly line: number; readonly fields: LogField[]; readonly frame: QsoFrame }[] = [];
  let lastLine = 1;
  let before: string | undefined;
  let gap = "";
  let count: number | undefined;
  let isEnd = false;
  for (const { number, text: content, ending } of textLines(text)) {
    if (content.trim() === "") {
      gap += content + ending;
      continue;
    }
    lastLine = number;
    count ??= recordCount(content);
    isEnd ||= count !== undefined && /^\s*\[END/i.test(content);
    const isRecord = count !== undefined && !isEnd && !content.trimStart().startsWith("[");
    const record = isRecord ? parseRecord(content) : undefined;
    if (record === undefined) {
      gap += content + ending;
      header.push(content.trimEnd());
      if (isRecord) addProblem(problems, { line: number, kind: "line", message: noRecord(content) });
      continue;
    }
    if (before === undefined) [before, gap] = [gap, ""];
    const [indent, trailing] = marginsOf(content);
    const frame = sharedFrame(read.at(-1)?.frame, gap + indent, trailing + ending);
    read.push({
      line: number,
      fields: recordFields(record, (kind, message) => addProblem(problems, { line: number, kind, message })),
      frame,
    });
    gap = "";
  }
  if (count !== read.length) {
    const declared =
      count === undefined ? "[QSORecords] is missing" : `[QSORecords;${count}] announces ${count} QSOs`;
    const message = `${declared}, the file has ${read.length}: it may be truncated`;
    addProblem(problems, { line: lastLine, kind: "end", message });
  }
  const shared = headerFields(header);
  const band = ediValue(header, "PBand");
  if (band !== "" && bandOfEdi(band) === undefined) {
    const message = `PBand=${band}: expected an amateur band, such as 144 MHz`;
    addProblem(problems, { line: lineOf(text, "PBand"), kind: "line", message });
  }
  const qsos = read.map(({ line, fields, frame }): Qso => ({
    line,
    fields: [...fields, ...shared],
    edi: frame,
  }));
  const edi = before === undefined ? { before: gap, after: "" } : { before, after: gap };
  return { format: "edi", header: { text: header.join("\n"), fields: [] }, qsos, ...problems, edi };
}

/** The number of QSOs that a line announces. */
export function recordCount(line: string): number | undefined {
  const [, count] = /^\s*\[QSORecords(?:;\s*(\d{1,9})\s*)?/i.exec(line) ?? [];
  return count === undefined ? (/^\s*\[QSORecords/i.test(line) ? 0 : undefined) : Number(count);
}

function noRecord(line: string): string {
  return `not a valid QSO record: ${JSON.stringify(line.trim().slice(0, 80))}`;
}

/** The value of a line of the header; "" without it. */
export function ediValue(header: readonly string[], name: string): string {
  const start = `${name.toUpperCase()}=`;
  const line = header.find((one) => one.trimStart().toUpperCase().startsWith(start));
  return line?.slice(line.indexOf("=") + 1).trim() ?? "";
}

/** The line of a value of the header, from 1. */
function lineOf(text: string, name: string): number {
  const start = `${name.toUpperCase()}=`;
  for (const { number, text: content } of textLines(text))
    if (content.trimStart().toUpperCase().startsWith(start)) return number;
  return 1;
}

/** The fields of the header that apply to every QSO. */
function headerFields(header: readonly string[]): LogField[] {
  return [
    { name: "STATION_CALLSIGN", value: ediValue(header, "PCall").toUpperCase() },
    { name: "MY_GRIDSQUARE", value: ediValue(header, "PWWLo").toUpperCase() },
    { name: "BAND", value: bandOfEdi(ediValue(header, "PBand")) ?? "" },
    { name: "STX_STRING", value: ediValue(header, "PExch") },
    { name: "CONTEST_ID", value: ediValue(header, "TName") },
  ].filter(({ value }) => value !== "");
}
