/**
 * Reads cty.plist, an Apple property list.
 *
 * The scanner reads a dictionary of flat dictionaries only, several times faster than an XML parser; anything else is an
 * error or a bad row. It replaces the predefined entities and reads no DTD.
 */
import { CountryFileError } from "../errors.js";
import {
  layoutOf,
  noFields,
  readWithLayout,
  type Fields,
  type Layout,
  type LayoutStep,
} from "./country-file-plist-layout.js";
import { unescapeXml } from "../text/xml-text.js";
import { eastward, type ReadRow } from "./country-file-row.js";
import { lineAt, toNumber } from "../text/file-text.js";

/** The rows of a property list, one by one. */
export function* readPlist(text: string, file: string): Generator<ReadRow> {
  const scanner = createScanner(text, file);
  scanner.enterRoot();
  for (let key = scanner.nextKey(); key !== undefined; key = scanner.nextKey()) {
    const fields = scanner.nextFields();
    yield fields === undefined ? { problem: `key ${key}: expected a <dict>` } : toRow(key, fields);
  }
  scanner.leaveRoot();
}

function toRow(key: string, fields: Fields): ReadRow {
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

/** A longer record makes too long a pattern. */
const MAX_LAYOUT_LENGTH = 2000;

const SLASH = 47;
const EXCLAMATION = 33;

function createScanner(text: string, file: string) {
  let position = 0;
  let lastKey = "";
  let layout: Layout | undefined;

  function fail(expected: string, found: string): never {
    throw new CountryFileError({
      file,
      line: lineAt(text, position),
      expected: lastKey === "" ? expected : `${expected} after key ${lastKey}`,
      found,
    });
  }

  /** Moves to the next tag that is not a comment. */
  function seekTag(expected: string): void {
    position = text.indexOf("<", position);
    while (text.charCodeAt(position + 1) === EXCLAMATION && position >= 0) {
      const end = text.startsWith("<!--", position) ? text.indexOf("-->", position) : -1;
      position = end < 0 ? -1 : text.indexOf("<", end);
    }
    if (position >= 0) return;
    position = text.length;
    fail(expected, "the end of the file");
  }

  /** Moves past the tag, if it is this one. */
  function takeTag(tag: string): boolean {
    if (!text.startsWith(tag, position)) return false;
    position += tag.length;
    return true;
  }

  /** The tag at the position. */
  function tagHere(): string {
    const end = text.indexOf(">", position);
    return end < 0 ? text.slice(position) : text.slice(position, end + 1);
  }

  /** The text up to the end tag; moves past it. */
  function content(endTag: string): string {
    const end = text.indexOf("<", position);
    const raw = end < 0 ? "" : text.slice(position, end);
    position = end < 0 ? text.length : end;
    if (!takeTag(endTag)) fail(endTag, end < 0 ? "the end of the file" : tagHere());
    return unescapeXml(raw);
  }

  /** The text of a value; moves past it. `undefined` for a type that no field has. */
  function nextValue(): string | undefined {
    seekTag("a value");
    if (takeTag("<string>")) return content("</string>");
    if (takeTag("<integer>")) return content("</integer>");
    if (takeTag("<real>")) return content("</real>");
    if (takeTag("<false/>")) return "false";
    if (takeTag("<true/>")) return "true";
    skipValue();
    return undefined;
  }

  /** Moves from the start tag of a value of any type past its end. */
  function skipValue(): void {
    let depth = 0;
    do {
      seekTag("the end of a value");
      const tag = tagHere();
      if (tag.charCodeAt(1) === SLASH) depth--;
      else if (!tag.endsWith("/>")) depth++;
      position += tag.length;
    } while (depth > 0);
  }

  /** Reads a dictionary tag by tag, and takes its layout for the next ones. */
  function fieldsByTag(start: number): Fields {
    const fields = noFields();
    const steps: LayoutStep[] = [];
    let isFlat = true;
    let before = start;
    for (;;) {
      seekTag("<key> or </dict>");
      if (!takeTag("<key>")) break;
      const name = content("</key>");
      seekTag("a value");
      const tag = tagHere();
      const lead = text.slice(before, position);
      const value = nextValue();
      isFlat &&= value !== undefined;
      const known = Object.hasOwn(fields, name) ? (name as keyof Fields) : undefined;
      if (known !== undefined) fields[known] = value;
      steps.push({ lead, tag, name: known });
      before = position;
    }
    if (!takeTag("</dict>")) fail("<key> or </dict>", tagHere());
    layout =
      isFlat && position - start < MAX_LAYOUT_LENGTH
        ? layoutOf(steps, text.slice(before, position))
        : undefined;
    return fields;
  }

  return {
    enterRoot(): void {
      position = text.indexOf("<plist");
      if (position < 0) fail("<plist>", "no such tag");
      position += tagHere().length;
      seekTag("<dict>");
      if (!takeTag("<dict>")) fail("<dict>", tagHere());
    },

    /** The next key of the outer dictionary; `undefined` at its end. */
    nextKey(): string | undefined {
      seekTag("<key> or </dict>");
      if (takeTag("<key>")) return (lastKey = content("</key>").trim());
      if (!takeTag("</dict>")) fail("<key> or </dict>", tagHere());
      return undefined;
    },

    /** The fields of the next dictionary; `undefined` for a value of another type. Moves past either. */
    nextFields(): Fields | undefined {
      const read = layout && readWithLayout(text, position, layout);
      if (read) {
        position = read.end;
        return read.fields;
      }
      const start = position;
      seekTag("<dict>");
      if (takeTag("<dict>")) return fieldsByTag(start);
      skipValue();
      return undefined;
    },

    leaveRoot(): void {
      seekTag("</plist>");
      if (!takeTag("</plist>")) fail("</plist>", tagHere());
    },
  };
}
