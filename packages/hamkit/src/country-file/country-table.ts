/** Makes a table of the rows of a country file. */
import { showValue } from "../show-value.js";
import { isContinent, type CallsignRecord, type LandContinent, type LandRecord } from "../lookup/record.js";
import { createTable, detachedText, isTableKey, type ExactIndex } from "../lookup/table.js";
import type { EntityEntry, TableSource } from "../lookup/source.js";
import type { CountryFileRow, ReadRow } from "./country-file-row.js";
import type { EntityCodes } from "./entity-codes.js";

/** A country file in memory. */
export interface CountryFile extends TableSource {
  /** Release mark of the file, `VERyyyymmdd`; `undefined` where it has none. */
  readonly release: string | undefined;
  /** Number of prefixes and calls. */
  readonly size: number;
  /** Number of unreadable records. */
  readonly skipped: number;
  /** Number of DXCC entities. */
  readonly entityCount: number;
}

export interface CountryTableOptions {
  /** Name of the file in messages. */
  readonly file: string;
  readonly codes: EntityCodes;
  /** Receives a warning for each skipped record. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Calls in addition to the rows. */
  readonly calls?: ExactIndex;
  /** Release mark, where the rows have none. */
  readonly release?: string;
}

/** A validated row. */
export type CheckedRow = CountryFileRow & { readonly adif: number; readonly continent: LandContinent };

const RELEASE = /^VER(\d{4})(\d\d)(\d\d)$/;

/** Nodes of a prefix tree: country files need about 9,000. */
const TREE_ROOM = 12_000;

/**
 * Prefixes that country files lack, with one that they have for the same entity: Spratly, regional prefixes of Scotland since 2000, the
 * subantarctic islands of New Zealand.
 *
 * @see Club Log's table of prefixes.
 */
const FURTHER_PREFIXES = [
  ["1S", "9M0"],
  ["GZ", "GM"],
  ["MZ", "GM"],
  ["ZM9", "ZL9"],
] as const;

/** Of one file. */
const MAX_WARNINGS = 10;

/** Makes a table of all rows. A later row of the same key replaces an earlier one. */
export function createCountryTable(rows: Iterable<ReadRow>, options: CountryTableOptions): CountryFile {
  const { file, codes, warn, calls } = options;
  const entities = new Map<number, EntityEntry>();
  const builder = createTable({ entities, room: TREE_ROOM, calls });
  const toRecord = recordPool();
  let { release } = options;
  let skipped = 0;
  const skip = (problem: string, count = 1): void => {
    if (skipped < MAX_WARNINGS) {
      warn?.(`${file}: left out ${count === 1 ? "a record" : `${count} records`}: ${problem}`);
    }
    skipped += count;
  };

  for (const row of rows) {
    const checked = "problem" in row ? row : checkRow(row, codes);
    if ("problem" in checked) {
      skip(checked.problem, "keys" in row ? row.keys.length : 1);
      continue;
    }
    const record = toRecord(checked);
    const set = checked.exact ? builder.setExact : builder.setPrefix;
    for (const text of checked.keys) {
      const key = text.toUpperCase();
      if (isTableKey(key)) set(key, record);
      else skip(`expected a key of A-Z, 0-9, / and -, 30 characters at most, found ${showValue(text)}`);
      // The call VERyyyymmdd is the release mark of the file.
      if (checked.exact && key.startsWith("VER")) release ??= RELEASE.exec(key)?.[0];
    }
    addEntity(entities, checked);
    // Main prefixes such as 3D2/r are also used on the air: 3D2/R/DL1ABC.
    const main = checked.mainPrefix?.toUpperCase();
    if (main?.includes("/") && !builder.hasPrefix(main)) builder.setPrefix(main, record);
  }

  for (const [prefix, other] of FURTHER_PREFIXES) {
    const record = builder.table.prefix(other, 0);
    if (record !== undefined && !builder.hasPrefix(prefix)) builder.setPrefix(prefix, record);
  }
  if (skipped > MAX_WARNINGS) warn?.(`${file}: left out ${skipped} records in all`);
  return {
    ...builder.table,
    name: release === undefined ? file : `${file} ${release}`,
    date: release?.replace(RELEASE, "$1-$2-$3"),
    release,
    size: builder.size(),
    skipped,
    entityCount: entities.size,
  };
}

/** Validates a row. The ADIF code is the file's own or found by name. */
function checkRow(row: CountryFileRow, codes: EntityCodes): CheckedRow | { problem: string } {
  const { adif = codes(row), continent, cqz, ituz, latitude, longitude } = row;
  if (row.country.trim() === "") return fault(row, "a country name", row.country);
  if (adif === undefined) return fault(row, "a country whose ADIF code is known", row.country);
  if (!isWhole(adif, 0, 999)) return fault(row, "an ADIF code from 0 to 999", adif);
  if (!isContinent(continent)) return fault(row, "a continent", continent);
  if (!isWhole(cqz, 1, 40)) return fault(row, "a CQ zone from 1 to 40", cqz);
  if (!isWhole(ituz, 1, 90)) return fault(row, "an ITU zone from 1 to 90", ituz);
  if (!(Math.abs(latitude) <= 90)) return fault(row, "a latitude from -90 to 90", latitude);
  if (!(Math.abs(longitude) <= 180)) return fault(row, "a longitude from -180 to 180", longitude);
  return hasCode(row) ? row : { ...row, adif, continent };
}

function fault({ keys }: CountryFileRow, expected: string, found: string | number): { problem: string } {
  return { problem: `key ${keys[0] ?? "none"}: expected ${expected}, found ${showValue(found)}` };
}

/** Rows with a code are not copied: country files have tens of thousands of them. */
function hasCode(row: CountryFileRow): row is CheckedRow {
  return row.adif !== undefined;
}

function isWhole(value: number, lowest: number, highest: number): boolean {
  return Number.isInteger(value) && value >= lowest && value <= highest;
}

/** Shares records: tens of thousands of keys have some hundred different ones, usually the one of the key before. */
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

/** The record of the callsigns of a row. */
export function recordOf(row: CheckedRow): LandRecord {
  const { adif, cqz, ituz, continent, latitude, longitude } = row;
  const country = detachedText(row.country);
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

/** Adds the entity of a row. The row of its main prefix decides, or else the first one. */
function addEntity(entities: Map<number, EntityEntry>, row: CheckedRow): void {
  const { adif, longitude, latitude, cqz, continent, mainPrefix, isWae } = row;
  const country = detachedText(row.country);
  const isMain = !row.exact && mainPrefix !== undefined && row.keys.includes(mainPrefix);
  if (isWae || (entities.has(adif) && !isMain)) return;
  const prefix = mainPrefix ?? row.keys[0] ?? "";
  // Country files have current entities only.
  const record = Object.freeze({ deleted: false, country, longitude, latitude, cqz, prefix, continent });
  entities.set(adif, { adif, record });
}
