/** Writes .adi files: unchanged parts of an .adi source verbatim, everything else in a canonical form. */
import { encodeUtf8 } from "./byte-text.js";
import type { Log, LogField, Qso } from "../log.js";
import { createPool } from "./adif-sink.js";

/** The log as byte texts to concatenate; new values are in UTF-8. */
export function* writeAdi({ adi, header, qsos }: Log): Generator<string> {
  yield adi?.before ?? headerText(header.text, header.fields);
  const texts = createPool<LogField, string>();
  for (const qso of qsos) {
    yield qsoText(qso, (field) => texts.get(field) ?? texts.add(field, fieldText(field)));
  }
  yield adi?.after ?? "";
}

function qsoText({ adi, fields }: Qso, textOf: (field: LogField) => string): string {
  let text = adi?.before ?? "";
  let gap = adi === undefined ? " " : "";
  for (const [index, field] of fields.entries()) {
    if (field.adi === undefined) text += index === 0 ? textOf(field) : gap + textOf(field);
    else {
      gap = index === 0 ? " " : blanksBefore(field.adi);
      text += field.adi;
    }
  }
  return text + (adi?.after ?? " <EOR>\n");
}

/** The white space before a field: the separator that a log uses. */
export function blanksBefore(source: string): string {
  let end = 0;
  while (source.charCodeAt(end) <= 32) end++;
  return source.slice(0, end);
}

function headerText(text: string, fields: readonly LogField[]): string {
  // A header requires text before the first tag; a "<" in that text would begin a tag.
  const opening = encodeUtf8((text || "ADIF log").replaceAll("<", "("));
  return [opening, ...fields.map(fieldText), "<EOH>", ""].join("\n");
}

function fieldText({ name, value, type }: LogField): string {
  const raw = encodeUtf8(value);
  return `<${tagName(name)}:${raw.length}${type === undefined ? "" : `:${tagName(type)}`}>${raw}`;
}

/** Replaces characters that would end a tag; names may come from other formats. */
function tagName(name: string): string {
  if (/^[\w-]+$/.test(name)) return name;
  return encodeUtf8(name.replaceAll(/[^ -~\u00a0-\uffff]|[:<>,{}]/g, "_") || "_");
}
