/** Makes a table of a country file (AD1C's cty): of its content in any of three formats, or of the embedded data. */
import type { EntityRow } from "@hamkit/country-data";

import { ArgumentTypeError, CountryFileError } from "../errors.js";
import type { LandContinent } from "../lookup/record.js";
import { parsePlist, scanPlist } from "./country-file-plist.js";
import { type ReadRow, eastward, type CountryFileRow } from "./country-file-row.js";
import { decodeText, toNumber, lineEndsIn } from "../text/file-text.js";
import { createCountryTable, recordOf, type CheckedRow, type CountryFile } from "./country-table.js";
import { createEntityCodes, type EntityCodes } from "./entity-codes.js";

export type { CountryFile } from "./country-table.js";

/** Name of a file, and receiver of its warnings. */
export interface CountryFileOptions {
  /** Name of the file in messages; "text" when left out. */
  readonly name?: string;
  /** Receives a warning for each unreadable record. */
  readonly warn?: (message: string) => void;
}

/** Characters that decide the format. */
const DETECTION_LENGTH = 4096;

type Format = "plist" | "dat" | "csv";

/**
 * Makes a table of a country file's content: cty.plist, cty.dat or cty.csv, recognized by the content.
 *
 * An unreadable record is skipped with a warning and counted in `skipped`.
 *
 * @param content Text, or its bytes in UTF-8.
 * @throws {CountryFileError} The content is not a complete country file; with file name, line and the expected text.
 * @throws {ArgumentTypeError} The content is neither text nor bytes.
 * @example
 * const file = "Malta: 15: 28: EU: 35.88: -14.42: -1.0: 9H:\n 9H,=9H1XYZ/P;";
 * const table = await createCountryFile(file);
 * table.exact("9H1XYZ/P", 0)?.country; // => "Malta"
 */
export async function createCountryFile(
  content: string | Uint8Array,
  { name = "text", warn }: CountryFileOptions = {},
): Promise<CountryFile> {
  const text = decodeText(content);
  if (text === undefined)
    throw new ArgumentTypeError({ argument: name, value: content, expected: "text or bytes" });
  const format = formatOf(text, name);
  const codes = needsCodes(format, text) ? await knownCodes() : () => undefined;
  const read: TableReader = (rows, warned = warn) =>
    createCountryTable(rows, { file: name, codes, warn: warned });
  const table =
    format === "plist"
      ? await readPlist(text, name, { read, warn })
      : read((format === "dat" ? readDat : readCsv)(text, name));
  if (table.size === 0 || table.size < table.skipped) {
    const found = `${table.skipped} unreadable records and ${table.size} others`;
    throw new CountryFileError({ file: name, expected: "prefixes and calls", found });
  }
  return table;
}

type TableReader = (rows: Iterable<ReadRow>, warned?: (message: string) => void) => CountryFile;

/** Scans a property list, or else parses it. Warnings of the scan wait until it is complete. */
async function readPlist(
  text: string,
  file: string,
  { read, warn }: { readonly read: TableReader; readonly warn: CountryFileOptions["warn"] | undefined },
): Promise<CountryFile> {
  const { rows, isComplete } = scanPlist(text);
  const warnings: string[] = [];
  const table = read(rows, (message) => warnings.push(message));
  if (!isComplete()) return read(await parsePlist(text, file));
  for (const message of warnings) warn?.(message);
  return table;
}

/**
 * The country file that comes with hamkit. Its date is in `date`; no network is used.
 *
 * @example
 * const table = await loadEmbeddedCountryFile();
 * table.prefix("DL", Date.now())?.country; // => "Fed. Rep. of Germany"
 */
export async function loadEmbeddedCountryFile(): Promise<CountryFile> {
  const { readPackedCountryData } = await import("@hamkit/country-data");
  const { entities, groups, calls, ownerOf, release } = readPackedCountryData();
  const rows = groups.map(([index, cqz, ituz, prefixes]): CheckedRow => {
    const [mainPrefix, country, adif, continent, , , latitude, longitude, wae] = entities[index] as EntityRow;
    return {
      keys: prefixes === "" ? [] : prefixes.split(" "),
      isWae: wae === 1,
      exact: false,
      country,
      adif,
      mainPrefix,
      continent: continent as LandContinent,
      cqz,
      ituz,
      latitude,
      longitude,
    };
  });
  const records = rows.map(recordOf);
  const packed = createPackedCalls(calls);
  return createCountryTable(rows, {
    file: "embedded country file",
    codes: () => undefined,
    release,
    calls: {
      size: packed.size,
      get(call) {
        const index = packed.indexOf(call);
        return index < 0 ? undefined : records[ownerOf(index)];
      },
      *entries() {
        for (const [index, call] of packed.calls().entries()) {
          const record = records[ownerOf(index)];
          if (record !== undefined) yield [call, record];
        }
      },
    },
  });
}

/** The format, recognized by the first lines. */
function formatOf(text: string, file: string): Format {
  const start = text.slice(0, DETECTION_LENGTH).trimStart();
  const firstLine = start.split(/\r\n|\r|\n/, 1)[0] ?? "";
  if (/^(?:<!DOCTYPE plist|<plist)/.test(afterProlog(start))) return "plist";
  if (/^\*?[A-Z0-9/]+,[^,]+,[0-9]+,/i.test(firstLine)) return "csv";
  if (/^[^:,;<]+:(?:[^:;]*:){6,}/.test(firstLine)) return "dat";
  throw new CountryFileError({
    file,
    expected: "a country file: cty.plist, cty.dat or cty.csv",
    found: describe(start),
  });
}

/** The text after an XML declaration and comments. */
function afterProlog(start: string): string {
  let rest = start.replace(/^<\?xml[^>]*>/, "").trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->");
    if (end < 0) return "";
    rest = rest.slice(end + "-->".length).trimStart();
  }
  return rest;
}

function describe(start: string): string {
  if (start === "") return "nothing";
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) return "an HTML page";
  if (start.startsWith("bplist")) return "a binary property list; convert it to XML";
  if (start.startsWith("PK")) return "a zip archive; unpack it";
  if (start.startsWith("\u001F")) return "a compressed file; unpack it";
  if (start.startsWith("<")) return `XML or HTML that begins with ${JSON.stringify(start.slice(0, 40))}`;
  return `text that begins with ${JSON.stringify(start.slice(0, 40))}`;
}

/** Property lists have carried the codes since about 2015, cty.csv always, cty.dat never. */
function needsCodes(format: Format, text: string): boolean {
  return format === "dat" || (format === "plist" && !text.includes("<key>ADIF</key>"));
}

async function knownCodes(): Promise<EntityCodes> {
  const { readCountryData } = await import("@hamkit/country-data");
  return createEntityCodes(
    readCountryData().entities.map(([prefix, name, adif]) => ({ prefix, name, adif })),
  );
}

// Reads cty.csv, which has a line for each entity:
// `prefix,name,ADIF,continent,CQ,ITU,latitude,longitude (west +),GMT offset,prefixes and calls separated by blanks;`.

const CSV_FIELDS = 10;

/** The rows of a cty.csv; those of WAE entities last, because they replace rows of the DXCC entity that contains them. */
export function* readCsv(text: string, file: string): Generator<ReadRow> {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (!lines[last]?.trim().endsWith(";")) {
    throw new CountryFileError({
      file,
      line: last + 1,
      expected: "a semicolon at the end of the line",
      found: "none",
    });
  }
  const wae: ReadRow[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const rows = readLine(line.trim(), `line ${index + 1}`);
    if (line.startsWith("*")) wae.push(...rows);
    else yield* rows;
  }
  yield* wae;
}

function readLine(line: string, where: string): Iterable<ReadRow> {
  const parts = line.split(",");
  if (parts.length !== CSV_FIELDS || !line.endsWith(";")) {
    return [
      { problem: `${where}: expected ${CSV_FIELDS} fields and a semicolon, found ${parts.length} fields` },
    ];
  }
  const [prefix = "", country = "", adif, continent = "", cqz, ituz, latitude, longitude, , aliases = ""] =
    parts;
  const defaults = {
    country,
    adif: toNumber(adif),
    mainPrefix: prefix.replace(/^\*/, ""),
    isWae: prefix.startsWith("*"),
    continent,
    cqz: toNumber(cqz),
    ituz: toNumber(ituz),
    latitude: toNumber(latitude),
    longitude: eastward(toNumber(longitude)),
  };
  return readAliases(aliases.slice(0, -1).split(/\s+/), defaults, where);
}

// Reads cty.dat, the format of contest loggers.
//
// An entity has a line `name: CQ: ITU: continent: latitude: longitude (west +): GMT offset: main prefix:`, followed by its
// prefixes and calls up to a semicolon. A star before the main prefix marks entities of the WAE list, which lie in a DXCC
// entity; their keys replace those of that entity.
//
// @see https://www.country-files.com/cty-dat-format/

const ENTITY_FIELDS = 8;

/** The rows of a cty.dat; those of WAE entities last. */
function* readDat(text: string, file: string): Generator<ReadRow> {
  const wae: ReadRow[] = [];
  let line = 1;
  for (let before = 0, position = skipBlank(text, 0); position < text.length;) {
    line += lineEndsIn(text.slice(before, position));
    before = position;
    const end = text.indexOf(";", position);
    if (end < 0) {
      throw new CountryFileError({
        file,
        line,
        expected: "an entity's prefixes up to a semicolon",
        found: "the end of the file",
      });
    }
    const { rows, isWae } = readEntity(text.slice(position, end), `line ${line}`);
    if (isWae) wae.push(...rows);
    else yield* rows;
    position = skipBlank(text, end + 1);
  }
  yield* wae;
}

function readEntity(text: string, where: string): { rows: Iterable<ReadRow>; isWae: boolean } {
  const parts = text.split(":");
  const [name = "", cqz, ituz, continent = "", latitude, longitude, , prefix = ""] = parts.map((part) =>
    part.trim(),
  );
  if (parts.length !== ENTITY_FIELDS + 1) {
    const problem = `${where}: expected an entity line of ${ENTITY_FIELDS} fields that end in colons, found ${parts.length - 1}`;
    return { rows: [{ problem }], isWae: false };
  }
  const isWae = prefix.startsWith("*");
  const defaults: AliasDefaults = {
    country: name,
    adif: undefined,
    mainPrefix: prefix.replace(/^\*/, ""),
    isWae,
    continent,
    cqz: toNumber(cqz),
    ituz: toNumber(ituz),
    latitude: toNumber(latitude),
    longitude: eastward(toNumber(longitude)),
  };
  const aliases = (parts[ENTITY_FIELDS] ?? "").split(",").map((alias) => alias.replaceAll(/\s+/g, ""));
  return { rows: readAliases(aliases, defaults, where), isWae };
}

function skipBlank(text: string, start: number): number {
  let position = start;
  while (position < text.length && text.charCodeAt(position) <= 32) position++;
  return position;
}

// Aliases: a prefix or call with the values that override the entity's, such as `=VE3EXY(5)[9]<44.30/78.32>{NA}~5.0~`.
//
// `=` marks a complete call; then follow, in any order, CQ zone, ITU zone, latitude and longitude (west positive), continent
// and time zone.

/** The values of an entity, which its aliases may override. */
type AliasDefaults = Omit<CountryFileRow, "keys" | "exact">;

const ALIAS = /^(=?)([A-Za-z0-9/]+)((?:\([^)]*\)|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|~[^~]*~)*)$/;
const OVERRIDE = /\(([^)]*)\)|\[([^\]]*)\]|<([^/>]*)\/([^>]*)>|\{([^}]*)\}|~[^~]*~/g;

/** The rows of an entity's aliases. An empty alias (a trailing comma) is ignored. */
function* readAliases(
  aliases: readonly string[],
  defaults: AliasDefaults,
  where: string,
): Generator<ReadRow> {
  for (const alias of aliases) {
    if (alias === "") continue;
    const match = ALIAS.exec(alias);
    if (match === null) {
      yield { problem: `${where}: expected a prefix or call with zones, found ${JSON.stringify(alias)}` };
      continue;
    }
    const [, mark, key = "", overrides = ""] = match;
    yield {
      keys: [key],
      exact: mark === "=",
      ...defaults,
      ...(overrides === "" ? undefined : readOverrides(overrides)),
    };
  }
}

function readOverrides(text: string): Partial<CountryFileRow> {
  const values: { -readonly [Name in keyof CountryFileRow]?: CountryFileRow[Name] } = {};
  for (const [, cqz, ituz, latitude, longitude, continent] of text.matchAll(OVERRIDE)) {
    if (cqz !== undefined) values.cqz = toNumber(cqz);
    if (ituz !== undefined) values.ituz = toNumber(ituz);
    if (latitude !== undefined) values.latitude = toNumber(latitude);
    if (longitude !== undefined) values.longitude = eastward(toNumber(longitude));
    if (continent !== undefined) values.continent = continent;
  }
  return values;
}

// Complete calls in one sorted text, found by binary search. Loading only finds the blanks, where a map would make a string and
// an entry of each call. Of twenty thousand calls one is found in 15 steps, as fast as in a map.

interface PackedCalls {
  readonly size: number;
  /** The index of a call in the order of all; -1 for none. */
  indexOf(call: string): number;
  /** All calls, in the order of their characters. */
  calls(): readonly string[];
}

const BLANK = 32;
/**
 * A search that compares numbers: in a process with a class that extends String, as that of ioredis, each `charCodeAt` takes V8 ten
 * times longer.
 *
 * @param text Calls in the order of their characters, separated by single blanks.
 */
export function createPackedCalls(text: string): PackedCalls {
  // With a blank behind each call.
  const codes = new Uint16Array(text.length + 1).fill(BLANK);
  const starts: number[] = [];
  for (let index = 0; index < text.length; index++) {
    if (index === 0 || codes[index - 1] === BLANK) starts.push(index);
    codes[index] = text.charCodeAt(index);
  }
  const wanted: number[] = [];

  /** Below 0 where the call at the place comes before the wanted one, above 0 where it comes after, 0 for the same. */
  function compareAt(start: number, length: number): number {
    for (let index = 0; index < length; index++) {
      const difference = (codes[start + index] ?? BLANK) - (wanted[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return codes[start + length] === BLANK ? 0 : 1;
  }

  return {
    size: starts.length,
    indexOf(call) {
      for (let index = 0; index < call.length; index++) wanted[index] = call.charCodeAt(index);
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const order = compareAt(starts[middle] ?? 0, call.length);
        if (order === 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
      }
      return -1;
    },
    calls: () => (text === "" ? [] : text.split(" ")),
  };
}
