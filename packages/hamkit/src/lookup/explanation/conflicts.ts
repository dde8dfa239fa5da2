/** Finds the reasons to look at an identification twice. */
import { isFullCall } from "../../callsign/form.js";
import type { PartRole } from "../../callsign/part-roles.js";
import { ownPrefix } from "../prefix-searches.js";
import { INVALID_RECORD, type CallsignRecord } from "../record.js";
import type { Identification, IdentifiedCallsign, TableSource } from "../source.js";
import type { Conflict, ExplanationDetails, OtherAnswer, PartReading, SourcedEntry } from "./explanation.js";

type Details = Omit<ExplanationDetails, "conflicts">;

/**
 * The conflicts of an answer.
 *
 * @param table The table that answers.
 */
export function conflictsOf(answer: Identification, details: Details, table: TableSource): Conflict[] {
  const found = answer.kind === "identified" ? identifiedConflicts(answer, details, table) : [];
  found.push(...changes(answer, details), ...formConflicts(details));
  if (details.others.length > 0) found.push(...sourceConflicts(details));
  return found;
}

function identifiedConflicts(answer: IdentifiedCallsign, details: Details, table: TableSource): Conflict[] {
  const { record, matchedBy } = answer;
  const conflicts: Conflict[] = [];
  const { shared, certainty } = details;
  if (shared !== undefined && certainty === "shared-prefix")
    conflicts.push({ kind: "shared-prefix", shared });
  const readings = otherReadings(answer, details, table);
  if (readings.length > 0) conflicts.push({ kind: "suffix-or-prefix", readings });
  const entity = table.entity(record.adif);
  if (entity !== undefined && details.overrides.some(({ field }) => field === "country")) {
    const dxcc = { adif: record.adif, country: entity.country };
    conflicts.push({ kind: "not-for-dxcc", country: record.country, dxcc });
  }
  if (
    matchedBy === "prefix" &&
    record.cqz !== undefined &&
    !details.overrides.some(({ by }) => by === "zone-exception")
  ) {
    const zones = cqZonesOf(record.adif, table);
    if (zones.length > 1) conflicts.push({ kind: "default-zone", cqz: record.cqz, zones });
  }
  return conflicts;
}

/** Roles of suffixes that name no country; some of them are prefixes too: /MM of Scotland, /LH of Norway, /P3 of Cyprus. */
const NO_PLACE: ReadonlySet<PartRole> = new Set([
  "activity",
  "aeronautical",
  "area",
  "maritime",
  "own-area",
  "same-station",
  "state",
]);

/**
 * Other entities that a part would name: a suffix that is set aside, the call where a part behind it decides, and the other one of
 * two parts that look like calls.
 */
function otherReadings(
  { record, matchedBy }: IdentifiedCallsign,
  { at, parts, rule }: Details,
  table: TableSource,
): PartReading[] {
  const moment = at.getTime();
  const calls = parts.filter(({ text }) => isFullCall(text));
  const isOpen = rule === "suffix is a prefix" || rule === "call area digit" || calls.length > 1;
  return parts.flatMap(({ text, role }): PartReading[] => {
    let other: CallsignRecord | undefined;
    if (NO_PLACE.has(role)) other = text.length > 1 ? table.prefix(text, moment) : undefined;
    else if (isOpen && matchedBy === "prefix" && calls.some((call) => call.text === text))
      other = table.longestPrefix(ownPrefix(text, moment).text, moment, 1)?.record;
    return isCountry(other) && other.adif !== record.adif ? [{ text, record: other }] : [];
  });
}

/** Prefixes of no country have an entry too. */
function isCountry(record: CallsignRecord | undefined): record is CallsignRecord {
  return record !== undefined && record !== INVALID_RECORD;
}

/** Entries of another time, in any table, that have another entity. */
function changes(answer: Identification, { source, passedOver, others }: Details): Conflict[] {
  const adif = answer.kind === "identified" ? answer.record.adif : undefined;
  const entries: SourcedEntry[] = [];
  for (const one of [{ source, passedOver }, ...others]) {
    for (const entry of one.passedOver) {
      if (entry.reason === "other-period" && entry.record.adif !== adif)
        entries.push({ ...entry, source: one.source });
    }
  }
  return entries.length === 0 ? [] : [{ kind: "change-with-time", entries }];
}

/** Forms of calls that programs take for something else; the first one that fits. */
const FORMS = [
  ["message", /^RR7/],
  ["mode", /^(?:FT[248]|JS8|JT[49]|Q65)/],
  ["locator", /^[A-R]{2}[0-9]{2}(?:[A-X]{2})?$/],
  ["prefix", /^(?=.{3,4}$)[A-Z0-9]{1,2}[0-9][A-Z]$/],
] as const;

function formConflicts({ parts }: Details): Conflict[] {
  const call = parts.find(({ role }) => role === "call")?.text ?? "";
  const form = FORMS.find(([, pattern]) => pattern.test(call));
  return form === undefined ? [] : [{ kind: "looks-like", looksLike: form[0] }];
}

function sourceConflicts({ source, certainty, others }: Details): Conflict[] {
  const isUnknown = certainty === "no-entry";
  const unknown = others.filter(({ answer }) => answer.kind === "unknown").map((other) => other.source);
  const conflicts: Conflict[] = [];
  if (!isUnknown && unknown.length > 0) conflicts.push({ kind: "unknown-to-some", sources: unknown });
  if (isUnknown && unknown.length < others.length)
    conflicts.push({ kind: "unknown-to-some", sources: [source, ...unknown] });
  for (const other of others) {
    if (other.differs.length > 0 && other.answer.kind !== "unknown" && !isUnknown)
      conflicts.push({ kind: "sources-differ", source: other.source, differs: other.differs });
    const postal = postalCountry(other);
    if (postal !== undefined) conflicts.push({ kind: "postal-country", source: other.source, postal });
  }
  return conflicts;
}

/** The country of a callbook's address where it is not the entity. Records of callbooks have both names. */
function postalCountry({ answer }: OtherAnswer): string | undefined {
  if (answer.kind !== "identified") return undefined;
  const country: unknown = Reflect.get(answer.record, "country");
  const entity: unknown = Reflect.get(answer.record, "land");
  if (typeof country !== "string" || typeof entity !== "string") return undefined;
  return country === entity ? undefined : country;
}

type ZonesByEntity = ReadonlyMap<number, readonly number[]>;

/** Kept with each table, whose prefixes do not change. */
const ZONES = new WeakMap<TableSource, ZonesByEntity>();

/** In ascending order. */
function cqZonesOf(adif: number, table: TableSource): readonly number[] {
  let zones = ZONES.get(table);
  if (zones === undefined) {
    zones = zonesIn(table);
    ZONES.set(table, zones);
  }
  return zones.get(adif) ?? [];
}

function zonesIn(table: TableSource): ZonesByEntity {
  const found = new Map<number, Set<number>>();
  for (const { value } of table.content().prefixes) {
    const { adif, cqz } = value;
    // 0 stands for several zones.
    if (value === INVALID_RECORD || cqz === undefined || cqz === 0) continue;
    const zones = found.get(adif) ?? new Set();
    found.set(adif, zones.add(cqz));
  }
  return new Map(Array.from(found, ([adif, zones]) => [adif, [...zones].sort((a, b) => a - b)]));
}
