/**
 * Reads cty.plist, an Apple property list: a dictionary of dictionaries.
 *
 * The scanner reads the usual form, several times faster than an XML parser. It leaves all other texts, well-formed or not, to the
 * parser.
 */
import { toNumber } from "../text/file-text.js";
import { isUnusualXml, unescapeXml } from "../text/xml-text.js";
import { eastward, type ReadRow } from "./country-file-row.js";
import { CountryFileError } from "../errors.js";
import type { XmlTag } from "../text/xml-parser.js";

/** The fields that are used, as texts; "true" and "false" for the tags `<true/>` and `<false/>`. */
interface PlistFields {
  Country: string | undefined;
  Prefix: string | undefined;
  ADIF: string | undefined;
  CQZone: string | undefined;
  ITUZone: string | undefined;
  Continent: string | undefined;
  Latitude: string | undefined;
  Longitude: string | undefined;
  ExactCallsign: string | undefined;
}

function noFields(): PlistFields {
  return {
    Country: undefined,
    Prefix: undefined,
    ADIF: undefined,
    CQZone: undefined,
    ITUZone: undefined,
    Continent: undefined,
    Latitude: undefined,
    Longitude: undefined,
    ExactCallsign: undefined,
  };
}

/** The field of a key; `undefined` for a key that is not used. */
function fieldOf(name: string, fields: PlistFields): keyof PlistFields | undefined {
  return Object.hasOwn(fields, name) ? (name as keyof PlistFields) : undefined;
}

/** The row of a key of the outer dictionary; `fields` is `undefined` for a value that is no dictionary. */
function rowOf(key: string, fields: PlistFields | undefined): ReadRow {
  if (fields === undefined) return { problem: `key ${key}: expected a <dict>` };
  return {
    keys: [key],
    exact: fields.ExactCallsign === "true",
    isWae: WAE_NAMES.has(fields.Country ?? ""),
    country: fields.Country ?? "",
    adif: fields.ADIF === undefined ? undefined : toNumber(fields.ADIF),
    mainPrefix: fields.Prefix,
    continent: fields.Continent ?? "",
    cqz: toNumber(fields.CQZone),
    ituz: toNumber(fields.ITUZone),
    latitude: toNumber(fields.Latitude),
    longitude: eastward(toNumber(fields.Longitude)),
  };
}

/** Property lists don't mark the entities that are on the WAE list only. */
const WAE_NAMES: ReadonlySet<string> = new Set([
  "African Italy",
  "Bear Island",
  "European Turkey",
  "Shetland and Fair Isle",
  "Shetland Islands",
  "Sicily",
  "Vienna Intl Ctr",
]);

const START =
  /^[ \t\r\n]*(?:<\?xml version="1\.0"(?: encoding="[Uu][Tt][Ff]-8")?\?>[ \t\r\n]*)?(?:<!DOCTYPE plist PUBLIC "[\w\-/. ]*" "[\w\-/.: ]*">[ \t\r\n]*)?<plist version="1\.0">[ \t\r\n]*<dict>[ \t\r\n]*/;
const END = /<\/dict>[ \t\r\n]*<\/plist>[ \t\r\n]*$/y;
/** Elements with a text, by the second character of their tag. */
const TEXTS: Readonly<Record<string, string>> = { s: "string", i: "integer", r: "real" };

const BLANKS = /[ \t\r\n]+/y;
/** Text of an element, without line ends that a parser replaces. */
const TEXT = String.raw`[\t\n\u0020-;=-\uD7FF\uE000-\uFFFD]*`;

/** A scan of a property list. */
export interface PlistScan {
  /** The rows, up to the first one that is not of the usual form. */
  readonly rows: Iterable<ReadRow>;
  /** Whether the whole text has the usual form; known after the last row. */
  readonly isComplete: () => boolean;
}

/** A record longer than this makes too long a pattern. */
const MAX_LAYOUT_LENGTH = 2000;

/**
 * A scan of the usual form. The records of a file have the same layout, so that a pattern made of one record reads most of the others,
 * several times faster than tag by tag.
 */
export function scanPlist(text: string): PlistScan {
  const start = START.exec(text);
  let isUsual = start !== null && !text.includes("]]>");
  let position = start?.[0].length ?? 0;
  let layout: Layout | undefined;

  /** Moves past a tag and the blanks behind it. */
  function takeTag(tag: string): void {
    isUsual &&= text.startsWith(tag, position);
    position += tag.length;
    BLANKS.lastIndex = position;
    if (BLANKS.test(text)) position = BLANKS.lastIndex;
  }

  /** The text of an element; moves past it and the blanks behind it. */
  function element(name: string): string {
    isUsual &&= text.startsWith(`<${name}>`, position);
    const end = text.indexOf("<", position + 1);
    const raw = text.slice(position + name.length + 2, end);
    const content = unescapeXml(raw);
    isUsual &&= content !== undefined && !raw.includes("\r") && !isUnusualXml(raw);
    position = end;
    takeTag(`</${name}>`);
    return content ?? "";
  }

  function value(): string {
    const flag = ["true", "false"].find((name) => text.startsWith(`<${name}/>`, position));
    if (flag === undefined) return element(TEXTS[text.charAt(position + 1)] ?? "string");
    takeTag(`<${flag}/>`);
    return flag;
  }

  function rowByTag(): ReadRow {
    const begin = position;
    const key = element("key").trim();
    const fields = noFields();
    takeTag("<dict>");
    while (text.startsWith("<key>", position)) {
      const field = fieldOf(element("key"), fields);
      const content = value();
      if (field !== undefined) fields[field] = content;
      if (!isUsual) break;
    }
    takeTag("</dict>");
    layout = position - begin < MAX_LAYOUT_LENGTH ? layoutOf(text.slice(begin, position)) : undefined;
    return rowOf(key, fields);
  }

  function rowByLayout({ pattern, names }: Layout): ReadRow | undefined {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const fields = noFields();
    const isEscaped = found[0].includes("&");
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      const raw = found[index + 2] ?? "";
      const content = isEscaped ? unescapeXml(raw) : raw;
      isUsual &&= content !== undefined;
      if (name !== undefined) fields[name] = content;
    }
    // Of fields that are not used, too.
    isUsual &&= !isEscaped || unescapeXml(found[0]) !== undefined;
    position = pattern.lastIndex;
    return rowOf((found[1] ?? "").trim(), fields);
  }

  function* rows(): Generator<ReadRow> {
    while (text.startsWith("<key>", position)) {
      const row = (layout && rowByLayout(layout)) ?? rowByTag();
      if (!isUsual) return;
      yield row;
    }
    END.lastIndex = position;
    isUsual &&= END.test(text);
  }

  return { rows: rows(), isComplete: () => isUsual };
}

/** The layout of a record: a pattern with a group for its key and for each field that is used. */
interface Layout {
  /** Sticky: it matches at the position of the scan only. */
  readonly pattern: RegExp;
  /** The fields of its groups from the second on. */
  readonly names: readonly (keyof PlistFields)[];
}

function layoutOf(record: string): Layout {
  const names: (keyof PlistFields)[] = [];
  const fields = noFields();
  let key: string | undefined;
  const source = record
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll(
      /<(key|string|integer|real)>([^<]*)<\/\1>|<(?:true|false)\/>/g,
      (whole, tag?: string, text = "") => {
        const isFirst = key === undefined;
        if (tag === "key") key = text;
        if (tag === "key" && !isFirst) return whole;
        const name = isFirst ? undefined : fieldOf(key ?? "", fields);
        if (name !== undefined) names.push(name);
        const open = isFirst || name !== undefined ? "(" : "(?:";
        return tag === undefined ? `<${open}true|false)/>` : `<${tag}>${open}${TEXT})</${tag}>`;
      },
    );
  return { pattern: new RegExp(source, "y"), names };
}

// Reads property lists of any form with an XML parser: all that the scanner of the usual form leaves.

/** `<plist>` has depth 1, its dictionary 2, records 3, and their fields 4; in a dictionary, keys and values alternate. */
const DEPTH = { plist: 1, dictionary: 2, record: 3, field: 4 } as const;

/** Values that are texts. Others, such as lists, are passed over. */
const TEXT_ELEMENTS: ReadonlySet<string> = new Set(["string", "integer", "real"]);

/**
 * The rows of a property list. Its document type is not read: entities that it declares are none.
 *
 * @throws {CountryFileError} The text is not well-formed, or no dictionary.
 */
export async function parsePlist(text: string, file: string): Promise<readonly ReadRow[]> {
  const { parseXml, XmlFault } = await import("../text/xml-parser.js");
  const rows: ReadRow[] = [];
  /** The open elements. */
  const path: string[] = [];
  /** The key in the outer dictionary, and that in the record, up to its value. */
  const keys: { [Depth in 3 | 4]?: string | undefined } = {};
  let lastKey = "";
  let fields: PlistFields | undefined;
  let hasEnded = false;
  let content = "";

  function fail(line: number, expected: string, found: string, cause?: unknown): never {
    const where = lastKey === "" ? expected : `${expected} after key ${lastKey}`;
    throw new CountryFileError({ file, line, expected: where, found }, { cause });
  }

  function open({ name, line }: XmlTag): void {
    const depth = path.push(name);
    content = "";
    if (depth === DEPTH.plist && name !== "plist") fail(line, "<plist>", `<${name}>`);
    if (depth === DEPTH.dictionary && (hasEnded || name !== "dict"))
      fail(line, hasEnded ? "</plist>" : "<dict>", `<${name}>`);
    if (depth === DEPTH.record || (depth === DEPTH.field && fields !== undefined)) {
      if ((name === "key") === (keys[depth] !== undefined))
        fail(line, name === "key" ? "a value" : "<key> or </dict>", `<${name}>`);
    }
    if (depth === DEPTH.record && name === "dict") fields = noFields();
  }

  function close(): void {
    const depth = path.length;
    const name = path.pop() ?? "";
    if (depth === DEPTH.dictionary) hasEnded = true;
    else if (depth === DEPTH.record) closeRecord(name);
    else if (depth === DEPTH.field && fields !== undefined) closeField(name, fields);
  }

  function closeRecord(name: string): void {
    if (name === "key") keys[3] = lastKey = content.trim();
    else {
      rows.push(rowOf(keys[3] ?? "", fields));
      keys[3] = fields = undefined;
    }
  }

  function closeField(name: string, record: PlistFields): void {
    if (name === "key") keys[4] = content;
    else {
      const field = fieldOf(keys[4] ?? "", record);
      const isFlag = name === "true" || name === "false";
      if (field !== undefined) record[field] = isFlag ? name : TEXT_ELEMENTS.has(name) ? content : undefined;
      keys[4] = undefined;
    }
  }

  function take(piece: string): void {
    if (path.length <= DEPTH.field) content += piece;
  }

  try {
    parseXml(text, { open, text: take, close }, { doctype: true });
  } catch (cause) {
    if (!(cause instanceof XmlFault)) throw cause;
    const { line, message } = cause;
    if (/^unclosed tag|^unexpected end/.test(message))
      fail(line, "<key> or </dict>", "the end of the file", cause);
    fail(line, "XML", message, cause);
  }
  return rows;
}
