/** Writes logs as JSON and CSV, with ADIF's field names. */
import type { Log, LogField } from "./log.js";

/**
 * The log as JSON: `header` with `text` and `fields`, and `qsos`, one object and one line each. A repeated field of a QSO
 * is named `NAME`, `NAME#2` and so on.
 */
export function* writeJson({ header, qsos }: Log): Generator<string> {
  yield `{"header":{"text":${JSON.stringify(header.text)},"fields":${objectText(header.fields)}},\n"qsos":[`;
  for (const [index, { fields }] of qsos.entries()) yield `${index === 0 ? "" : ","}\n${objectText(fields)}`;
  yield "\n]}\n";
}

/** The log as CSV (RFC 4180): a header line with all field names in order of first occurrence, and one line per QSO. */
export function* writeCsv({ qsos }: Log): Generator<string> {
  const columns = new Set<string>();
  for (const { fields } of qsos) for (const [name] of named(fields)) columns.add(name);
  yield `${Array.from(columns, cell).join()}\r\n`;
  for (const { fields } of qsos) {
    const values = new Map(named(fields));
    yield `${Array.from(columns, (name) => cell(values.get(name) ?? "")).join()}\r\n`;
  }
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function objectText(fields: readonly LogField[]): string {
  return `{${named(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join()}}`;
}

/** Unique names and values. */
function named(fields: readonly LogField[]): [name: string, value: string][] {
  const times = new Map<string, number>();
  return fields.map(({ name, value }) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [time === 1 ? name : `${name}#${time}`, value];
  });
}
