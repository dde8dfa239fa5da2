/** Logs for tests. */
import { readLog } from "../../src/logs/read-log.js";
import { writeLog, type OutputFormat } from "../../src/logs/write-log.js";
import type { Log, LogField, Qso } from "../../src/logs/log.js";

/** Fields as .adi writes them: `adi("CALL", "DH1TW")`, with the lengths counted in bytes. */
export function adi(...namesAndValues: string[]): string {
  let text = "";
  for (let index = 0; index < namesAndValues.length; index += 2) {
    const value = namesAndValues[index + 1] ?? "";
    text += `<${namesAndValues[index]}:${new TextEncoder().encode(value).length}>${value}`;
  }
  return text;
}

/** A string with a character for each byte, as bytes. */
export function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** Name and value of each field. */
export function pairs({ fields }: { readonly fields: readonly LogField[] }): string[][] {
  return fields.map(({ name, value }) => [name, value]);
}

/** The fields of the only QSO. */
export async function fieldsOf(data: string | Uint8Array): Promise<string[][]> {
  const { qsos } = await readLog(data);
  if (qsos.length !== 1) throw new Error(`${qsos.length} QSOs`);
  return qsos.flatMap(pairs);
}

/** A log in another format, as text. */
export function written(log: Log, format?: OutputFormat): string {
  return Buffer.from(writeLog(log, format === undefined ? {} : { format })).toString();
}

/** A log without memories of a file. */
export function logOf(...qsos: LogField[][]): Log {
  const numbered = qsos.map((fields, index): Qso => ({ line: index + 1, fields }));
  return { format: "adi", header: { text: "", fields: [] }, qsos: numbered, problems: [], problemCount: 0 };
}
