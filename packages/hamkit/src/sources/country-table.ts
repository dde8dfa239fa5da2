/** The table that a country file makes, whatever its format was. */
import type { EntityRecord, CallsignRecord, Continent } from "../lookup/record.js";
import { areTableKeys, createTable, type ExactIndex } from "../lookup/table.js";
import type { TableSource } from "../lookup/ports.js";
import type { CountryFileRow, ReadRow } from "./country-file-row.js";
import type { EntityCodes } from "./entity-codes.js";

/** A country file in memory. */
export interface CountryFile extends TableSource {
  /** Release mark of the file, `VERyyyymmdd`; `undefined` where it has none. */
  readonly release: string | undefined;
  /** Prefixes and calls that were read. */
  readonly size: number;
  /** Records left out because they could not be read. */
  readonly skipped: number;
}

export interface CountryTableOptions {
  /** What the file is called in messages. */
  readonly file: string;
  readonly codes: EntityCodes;
  /** Is told of each record that is left out. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Calls that are not among the rows. */
  readonly calls?: ExactIndex;
  /** Release mark, where the rows don't have it. */
  readonly release?: string;
}

/** A row whose every field has been checked. */
export type CheckedRow = CountryFileRow & { readonly adif: number; readonly continent: Continent };

const CONTINENTS: ReadonlySet<string> = new Set(["EU", "NA", "SA", "AS", "AF", "OC", "AN"]);
const RELEASE = /\bVER(\d{4})(\d\d)(\d\d)\b/;

/** Nodes of a prefix tree: country files need about 9,000. */
const TREE_ROOM = 12_000;

/** Entities that only the WAE list has. They share the code of a DXCC entity, which answers for the code. */
const WAE_NAMES: ReadonlySet<string> = new Set([
  "African Italy",
  "Bear Island",
  "European Turkey",
  "Shetland and Fair Isle",
  "Shetland Islands",
  "Sicily",
  "Vienna Intl Ctr",
]);

/** Reads all rows into a table. A later row of the same key replaces an earlier one. */
export function createCountryTable(rows: Iterable<ReadRow>, options: CountryTableOptions): CountryFile {
  const { file, codes, warn, calls } = options;
  const entities = new Map<number, EntityRecord>();
  const builder = createTable({ entities, room: TREE_ROOM, calls });
  const toRecord = recordPool();
  let { release } = options;
  let skipped = 0;
  const skip = (count: number, problem: string): void => {
    skipped += count;
    warn?.(`${file}: left out ${count === 1 ? "a record" : `${count} records`}: ${problem}`);
  };

  for (const row of rows) {
    const checked = "problem" in row ? row : checkRow(row, codes);
    if ("problem" in checked) {
      skip("keys" in row ? row.keys.split(" ").length : 1, checked.problem);
      continue;
    }
    const record = toRecord(checked);
    const set = checked.exact ? builder.setExact : builder.setPrefix;
    if (checked.keys.includes(" ")) for (const key of checked.keys.split(" ")) set(key, record);
    else if (checked.keys !== "") set(checked.keys, record);
    // The file dates itself with a call of its own.
    if (checked.exact) release ??= RELEASE.exec(checked.keys)?.[0];
    addEntity(entities, checked);
    // Main prefixes such as 3D2/r are written so on the air too: 3D2/R/DL1ABC.
    const main = checked.mainPrefix?.toUpperCase();
    if (main?.includes("/") && !builder.hasPrefix(main)) builder.setPrefix(main, record);
  }

  return {
    ...builder.table,
    name: release === undefined ? file : `${file} ${release}`,
    date: release?.replace(RELEASE, "$1-$2-$3"),
    release,
    size: builder.size(),
    skipped,
  };
}

/** The code is the file's own or found by name. */
function checkRow(row: CountryFileRow, codes: EntityCodes): CheckedRow | { problem: string } {
  const { adif = codes(row), continent, cqz, ituz, latitude, longitude } = row;
  const keys = row.keys.toUpperCase();
  if (keys !== "" && !areTableKeys(keys)) return fault(row, "a key of A-Z, 0-9, / and -", row.keys);
  if (row.country.trim() === "") return fault(row, "a country name", row.country);
  if (adif === undefined) return fault(row, "a country whose ADIF code is known", row.country);
  if (!isWhole(adif, 0, 999)) return fault(row, "an ADIF code from 0 to 999", adif);
  if (!isContinent(continent)) return fault(row, "a continent", continent);
  if (!isWhole(cqz, 1, 40)) return fault(row, "a CQ zone from 1 to 40", cqz);
  if (!isWhole(ituz, 1, 90)) return fault(row, "an ITU zone from 1 to 90", ituz);
  if (!(Math.abs(latitude) <= 90)) return fault(row, "a latitude from -90 to 90", latitude);
  if (!(Math.abs(longitude) <= 180)) return fault(row, "a longitude from -180 to 180", longitude);
  if (keys === row.keys && hasCode(row)) return row;
  return { ...row, keys, adif, continent };
}

function fault({ keys }: CountryFileRow, expected: string, found: string | number): { problem: string } {
  return {
    problem: `key ${keys.split(" ", 1)[0]}: expected ${expected}, found ${typeof found === "string" ? JSON.stringify(found) : found}`,
  };
}

/** Country files have tens of thousands of rows: those that need no change are not copied. */
function hasCode(row: CountryFileRow): row is CheckedRow {
  return row.adif !== undefined;
}

function isWhole(value: number, lowest: number, highest: number): boolean {
  return Number.isInteger(value) && value >= lowest && value <= highest;
}

function isContinent(text: string): text is Continent {
  return CONTINENTS.has(text);
}

/** Tens of thousands of keys share some hundred records, mostly the one of the key before. */
function recordPool(): (row: CheckedRow) => CallsignRecord {
  const pool = new Map<string, CallsignRecord>();
  let last: CallsignRecord | undefined;
  return (row) => {
    if (last !== undefined && isSame(last, row)) return last;
    const { country, adif, cqz, ituz, continent, latitude, longitude } = row;
    const id = `${country}|${adif}|${cqz}|${ituz}|${continent}|${latitude}|${longitude}`;
    last = pool.get(id);
    if (last === undefined) {
      last = recordOf(row);
      pool.set(id, last);
    }
    return last;
  };
}

/** What a row tells of a callsign. */
export function recordOf(row: CheckedRow): CallsignRecord {
  const { country, adif, cqz, ituz, continent, latitude, longitude } = row;
  return Object.freeze({ country, adif, cqz, ituz, continent, latitude, longitude });
}

function isSame(record: CallsignRecord, row: CheckedRow): boolean {
  return (
    record.adif === row.adif &&
    record.cqz === row.cqz &&
    record.ituz === row.ituz &&
    record.latitude === row.latitude &&
    record.longitude === row.longitude &&
    record.country === row.country &&
    record.continent === row.continent
  );
}

/** The entity of a code is described by the row of its main prefix, or else by the first row of it. */
function addEntity(entities: Map<number, EntityRecord>, row: CheckedRow): void {
  const { country, adif, longitude, latitude, cqz, continent, mainPrefix } = row;
  if (entities.has(adif) && (row.exact || mainPrefix === undefined || !hasKey(row, mainPrefix))) return;
  if (WAE_NAMES.has(country)) return;
  const prefix = mainPrefix ?? row.keys.split(" ", 1)[0] ?? "";
  // Country files have current entities alone.
  entities.set(adif, Object.freeze({ deleted: false, country, longitude, latitude, cqz, prefix, continent }));
}

function hasKey({ keys }: CheckedRow, key: string): boolean {
  return keys === key || ` ${keys} `.includes(` ${key} `);
}
