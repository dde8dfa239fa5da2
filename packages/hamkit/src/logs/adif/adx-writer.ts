/** Writes .adx files: unchanged parts of an .adx source verbatim, everything else in a canonical form. */
import { blanksBefore } from "./adi-writer.js";
import { elementOfField, elementOfHeaderField } from "./adx-element.js";
import type { Log, LogField, Qso } from "../log.js";
import { createPool } from "./intern-pool.js";
import { userDefinedNames } from "./user-defined.js";

/** The log as texts to concatenate. */
export function* writeAdx({ adx, header, qsos }: Log): Generator<string> {
  const userDefined = userDefinedNames(header.fields);
  yield adx?.before ?? opening(header.fields);
  const texts = createPool<LogField, string>();
  for (const qso of qsos) {
    yield qsoText(qso, (field) => texts.get(field) ?? texts.add(field, elementOfField(field, userDefined)));
  }
  yield adx?.after ?? "\n  </RECORDS>\n</ADX>\n";
}

function qsoText({ adx, fields }: Qso, textOf: (field: LogField) => string): string {
  let text = adx?.before ?? "\n    <RECORD>";
  let gap = adx === undefined ? "" : "\n      ";
  for (const field of fields) {
    if (field.adx === undefined) text += gap + textOf(field);
    else {
      gap = blanksBefore(field.adx);
      text += field.adx;
    }
  }
  return text + (adx?.after ?? "</RECORD>");
}

function opening(fields: readonly LogField[]): string {
  const header = fields.map((field) => `    ${elementOfHeaderField(field)}\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ADX>\n  <HEADER>\n${header}  </HEADER>\n  <RECORDS>`;
}
