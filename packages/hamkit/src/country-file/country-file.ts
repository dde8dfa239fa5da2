/** Makes a table of a country file (AD1C's cty): of its content in any of three formats, or of the embedded data. */
import type { EntityRow } from "@hamkit/country-data";

import { ArgumentTypeError, CountryFileError } from "../errors.js";
import { createPackedCalls } from "./packed-calls.js";
import type { Continent } from "../lookup/record.js";
import { readCsv } from "./country-file-csv.js";
import { readDat } from "./country-file-dat.js";
import { readPlist } from "./country-file-plist.js";
import type { ReadRow } from "./country-file-row.js";
import { decodeText } from "../text/file-text.js";
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

const READERS: Readonly<Record<Format, (text: string, file: string) => Iterable<ReadRow>>> = {
  plist: readPlist,
  dat: readDat,
  csv: readCsv,
};

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
  const table = createCountryTable(READERS[format](text, name), { file: name, codes, warn });
  if (table.size === 0 || table.size < table.skipped) {
    const found = `${table.skipped} unreadable records and ${table.size} others`;
    throw new CountryFileError({ file: name, expected: "prefixes and calls", found });
  }
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
      continent: continent as Continent,
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
