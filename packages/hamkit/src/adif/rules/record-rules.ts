/** Contradictions between the fields of a record: band and frequency, zones and entity, times, halves of a position. */
import { showValue } from "../../show-value.js";
import type { AdifRecord } from "../parse-adif.js";
import { ENTITIES } from "../tables/generated/entity-table.js";
import type { AdifEntity } from "../tables/table-types.js";
import { entryOf, type Fault } from "./fault.js";
import { bandAt, isPositiveNumber } from "./number-rules.js";

/** The contradiction between a field, which the record has, and others; `undefined` if there is none. */
type RecordRule = (record: AdifRecord, name: string) => Fault | undefined;

/** By the name of a field. One field of each contradiction is enough. */
export const CONTRADICTIONS: ReadonlyMap<string, RecordRule> = /* @__PURE__ */ new Map<string, RecordRule>([
  ["FREQ", bandConflict],
  ["FREQ_RX", bandConflict],
  ["CQZ", zoneConflict("cqz", "CQ zone")],
  ["MY_CQ_ZONE", zoneConflict("cqz", "CQ zone")],
  ["ITUZ", zoneConflict("ituz", "ITU zone")],
  ["MY_ITU_ZONE", zoneConflict("ituz", "ITU zone")],
  ["CONT", continentConflict],
  ["COUNTRY", countryConflict],
  ["MY_COUNTRY", countryConflict],
  ["LAT", halfPosition],
  ["LON", halfPosition],
  ["MY_LAT", halfPosition],
  ["MY_LON", halfPosition],
  ["QSO_DATE_OFF", endDateConflict],
  ["TIME_OFF", endTimeConflict],
  ["GRIDSQUARE_EXT", extensionConflict],
  ["MY_GRIDSQUARE_EXT", extensionConflict],
]);

function conflict(rule: string, field: string, message: string): Fault {
  return { level: "warning", rule, field, message: `${field}: ${message}` };
}

/** Band and frequency must agree; a band that is missing follows from the frequency. */
function bandConflict(record: AdifRecord, name: string): Fault | undefined {
  const value = record[name] ?? "";
  const expected = isPositiveNumber(value) ? bandAt(Number(value)) : undefined;
  if (expected === undefined) return undefined;
  const bandName = name === "FREQ" ? "BAND" : "BAND_RX";
  const band = record[bandName]?.trim() ?? "";
  if (band === expected) return undefined;
  if (band === "") {
    // BAND_RX is only written where it differs from BAND.
    if (bandName === "BAND_RX") return undefined;
    const found = conflict("band-missing", bandName, `missing; ${name} ${value} MHz is in ${expected}`);
    return { ...found, fix: { [bandName]: expected } };
  }
  const listed = entryOf("Band", band)?.code;
  if (listed === undefined || listed === expected) return undefined;
  return conflict("band-frequency-conflict", bandName, `${band}, but ${name} ${value} MHz is in ${expected}`);
}

let byCode: ReadonlyMap<string, AdifEntity> | undefined;

/** The entity of the contacted station, or of the own one for a field that begins with `MY_`; with the name of its field. */
function entityOf(record: AdifRecord, name: string): { entity: AdifEntity; dxcc: string } | undefined {
  const dxcc = name.startsWith("MY_") ? "MY_DXCC" : "DXCC";
  const code = record[dxcc]?.trim();
  if (code === undefined || code === "") return undefined;
  byCode ??= new Map(ENTITIES.map((entity) => [String(entity.code), entity]));
  const entity = byCode.get(code);
  return entity && { entity, dxcc };
}

/**
 * Zones and continents of entities that the table of entities lacks, by AD1C's country file: African Italy, Socotra, Manihiki and
 * Penrhyn, Palmerston, the north of Guatemala, Cocos Island, San Andres, the east and the north of European Russia, Antarctica.
 */
const FURTHER: Readonly<
  Record<number, Partial<Readonly<Record<"cqz" | "ituz", readonly number[]>>> & { continents?: string }>
> = {
  13: { continents: "SA" },
  37: { ituz: [11] },
  54: { cqz: [17, 40] },
  76: { ituz: [11] },
  191: { ituz: [63] },
  199: { continents: "SA" },
  216: { cqz: [8] },
  234: { ituz: [63] },
  248: { ituz: [37], continents: "AF" },
  492: { cqz: [37], ituz: [48], continents: "AF" },
};

function zoneConflict(kind: "cqz" | "ituz", title: string): RecordRule {
  return (record, name) => {
    const value = record[name] ?? "";
    const { entity, dxcc } = entityOf(record, name) ?? {};
    if (entity === undefined || !/^\d+$/.test(value)) return undefined;
    const zones = entity[kind];
    const zone = Number(value);
    if (zones.includes(zone) || FURTHER[entity.code]?.[kind]?.includes(zone) === true) return undefined;
    const message = `${title} ${zone}, but ${dxcc} ${entity.code} (${entity.name}) is in ${zones.join(", ")}`;
    return conflict(`${kind}-dxcc-conflict`, name, message);
  };
}

function continentConflict(record: AdifRecord, name: string): Fault | undefined {
  const { entity, dxcc } = entityOf(record, name) ?? {};
  const continent = entity && entryOf("Continent", record[name] ?? "")?.code;
  if (entity === undefined || continent === undefined) return undefined;
  if (entity.continents.includes(continent) || FURTHER[entity.code]?.continents === continent)
    return undefined;
  const expected = entity.continents.join(", ");
  const message = `${continent}, but ${dxcc} ${entity.code} (${entity.name}) is in ${expected}`;
  return conflict("cont-dxcc-conflict", name, message);
}

let byName: ReadonlyMap<string, readonly AdifEntity[]> | undefined;

/** The entities that a name of ADIF or of the table of entities means; none for other names, such as those of other programs. */
function entitiesNamed(text: string): readonly AdifEntity[] {
  byName ??= entityNames();
  return byName.get(plain(text)) ?? [];
}

function entityNames(): ReadonlyMap<string, readonly AdifEntity[]> {
  const names = new Map<string, AdifEntity[]>();
  for (const entity of ENTITIES)
    for (const name of new Set([plain(entity.name), plain(nameOf(entity))]))
      names.set(name, [...(names.get(name) ?? []), entity]);
  return names;
}

/** As ADIF writes it. */
function nameOf({ code, name }: AdifEntity): string {
  return entryOf("DXCC_Entity_Code", String(code))?.name ?? name;
}

/** Letters and digits, without accents. */
function plain(name: string): string {
  return name
    .normalize("NFD")
    .toUpperCase()
    .replaceAll("&", "AND")
    .replaceAll(/[^A-Z\d]/g, "");
}

/** COUNTRY names another entity. The name of the state that the entity belongs to, such as Italy for Sardinia, is none. */
function countryConflict(record: AdifRecord, name: string): Fault | undefined {
  const value = record[name] ?? "";
  const { entity, dxcc } = entityOf(record, name) ?? {};
  if (entity === undefined || value === "" || value === nameOf(entity)) return undefined;
  const named = entitiesNamed(value);
  const isOther = named.every(
    ({ code, iso }) => code !== entity.code && (iso === undefined || iso !== entity.iso),
  );
  if (named.length === 0 || !isOther) return undefined;
  const message = `${showValue(value)}, but ${dxcc} ${entity.code} is ${entity.name}`;
  return conflict("country-dxcc-conflict", name, message);
}

/** A latitude without longitude is no position, and the reverse. */
function halfPosition(record: AdifRecord, name: string): Fault | undefined {
  const other = name.endsWith("LAT") ? name.replace("LAT", "LON") : name.replace("LON", "LAT");
  if (!isMissing(record[other]) || isMissing(record[name])) return undefined;
  return conflict("coordinate-missing", name, `a position has two coordinates, but ${other} is missing`);
}

function isMissing(value: string | undefined): boolean {
  return value === undefined || value.trim() === "";
}

const DATE = /^\d{8}$/;
const TIME = /^(\d{4})(?:\d\d)?$/;

function endDateConflict(record: AdifRecord, name: string): Fault | undefined {
  const end = record[name] ?? "";
  const begin = record["QSO_DATE"] ?? "";
  if (!DATE.test(end) || !DATE.test(begin) || end >= begin) return undefined;
  return conflict("date-off-before-date", name, `${end} is before QSO_DATE ${begin}`);
}

/** Half a day: a QSO that would end that much later, on the next day, has rather a wrong end. */
const MAX_MINUTES = 12 * 60;

/** The QSO ends before it began. Without QSO_DATE_OFF it may end after midnight. */
function endTimeConflict(record: AdifRecord, name: string): Fault | undefined {
  const [, end] = TIME.exec(record[name] ?? "") ?? [];
  const [, begin] = TIME.exec(record["TIME_ON"] ?? "") ?? [];
  if (end === undefined || begin === undefined || end >= begin) return undefined;
  const found = conflict(
    "time-off-before-on",
    name,
    `${record[name]} is before TIME_ON ${record["TIME_ON"]}`,
  );
  if (!isMissing(record["QSO_DATE_OFF"]))
    return record["QSO_DATE_OFF"] === record["QSO_DATE"] ? found : undefined;
  const minutes = minutesOf(end) + 24 * 60 - minutesOf(begin);
  // Legal: one of ADIF's test QSOs takes 23 hours.
  return minutes > MAX_MINUTES ? { ...found, level: "info" } : undefined;
}

function minutesOf(time: string): number {
  return 60 * Number(time.slice(0, 2)) + Number(time.slice(2));
}

/** Characters 9 to 12 need the 8 before them. */
function extensionConflict(record: AdifRecord, name: string): Fault | undefined {
  const gridName = name.replace("_EXT", "");
  const grid = record[gridName]?.trim() ?? "";
  if (grid.length === 8 || isMissing(record[name])) return undefined;
  const found = grid === "" ? "is missing" : `has ${grid.length}`;
  const message = `characters 9 to 12 of a locator, of which ${gridName} has the first 8: it ${found}`;
  return conflict("grid-extension-without-grid", name, message);
}
