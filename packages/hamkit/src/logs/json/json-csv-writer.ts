/** Writes logs as JSON and CSV, with ADIF's field names. */
import { LogError } from "../../errors.js";
import type { Log, LogField } from "../log.js";
import { namedFields, typesOf } from "./json-fields.js";

/**
 * The log as JSON: `header` with `text` and `fields`, `types` with the data type indicators of fields that have one, and
 * `qsos`, one object and one line each. A repeated field of a QSO is named `NAME`, `NAME#2` and so on.
 */
export function* writeJson({ header, qsos }: Log): Generator<string> {
  const types = typesOf([header, ...qsos]);
  const typesText = Object.keys(types).length === 0 ? "" : `"types":${JSON.stringify(types)},\n`;
  const headerText = `{"text":${JSON.stringify(header.text)},"fields":${objectText(header.fields)}}`;
  // The header's own types come first too: a reader that goes line by line knows them in time.
  yield `{${typesText}"header":${headerText},\n"qsos":[`;
  for (const [index, { fields }] of qsos.entries()) yield `${index === 0 ? "" : ","}\n${objectText(fields)}`;
  yield "\n]}\n";
}

/** Different fields of a log: ADIF has less than 200, and programs add theirs. Each QSO has a cell for each. */
const MAX_COLUMNS = 2000;

/**
 * The log as CSV (RFC 4180): a header line with all field names in order of first occurrence, and one line per QSO.
 *
 * @throws {LogError} The QSOs have more than 2000 different fields.
 */
export function* writeCsv({ qsos }: Log): Generator<string> {
  const columns = new Set<string>();
  for (const { fields } of qsos) for (const [name] of namedFields(fields)) columns.add(name);
  if (columns.size > MAX_COLUMNS) {
    const expected = `at most ${MAX_COLUMNS} different fields for a file in CSV`;
    throw new LogError({ file: "the log", expected, found: `${columns.size}` });
  }
  yield `${Array.from(columns, cell).join()}\r\n`;
  for (const { fields } of qsos) {
    const values = new Map(namedFields(fields));
    yield `${Array.from(columns, (name) => cell(values.get(name) ?? "")).join()}\r\n`;
  }
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function objectText(fields: readonly LogField[]): string {
  return `{${namedFields(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join()}}`;
}
