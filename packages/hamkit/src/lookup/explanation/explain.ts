/** Explains identifications: the entry that decided, those that did not, and what other sources answer. */
import { normalizeCallsign, spotterMark } from "../../callsign/normalize.js";
import { callsignParts, type CallsignPart, type PartRole } from "../../callsign/part-roles.js";
import { sharedPrefixOf, type SharedPrefix } from "../../callsign/shared-prefixes.js";
import { identifyAt, momentOf, requireTable } from "../identify.js";
import { isMobileRecord, type LandRecord } from "../record.js";
import type { Moment, Identification, TableSource, IdentifiedCallsign } from "../source.js";
import { conflictsOf } from "./conflicts.js";
import type {
  Certainty,
  Conflict,
  DecidingRule,
  DxccEntityName,
  Explanation,
  OtherAnswer,
  SharedByEntities,
  UnknownReason,
  ComparedField,
  ExplainedEntry,
  Override,
} from "./explanation.js";
import { traceSearch, type SearchTrace } from "./search-trace.js";

/** What is asked, and the moment. */
export interface ExplainOptions {
  /** The table to search. */
  readonly table?: TableSource;
  /** Several tables: the first one that knows the callsign answers, and is compared with the others. Behind `table`, if both are given. */
  readonly tables?: readonly TableSource[];
  /** The answers of services, such as a callbook, to be compared too. */
  readonly answers?: readonly SourceAnswer[];
  /** The moment to answer for; now when left out or `null`. */
  readonly at?: Date | null | undefined;
}

/** The answer of a source that is no table. */
export interface SourceAnswer {
  /** The name of the source. */
  readonly source: string;
  readonly answer: Identification<object>;
}

/** The search of one table. */
interface Searched {
  readonly table: TableSource;
  readonly answer: Identification;
  readonly trace: SearchTrace | undefined;
}

/**
 * Explains how a callsign is identified. The explanation has all that `identify` returns for the same table, and its reasons: which
 * parts were set aside, which entry matched, which others did not and why, how sure the entity is, and where sources differ.
 *
 * Of several tables the first one that knows the callsign answers. Conflicts are shown and not decided.
 *
 * @param callsign Any text, as for `identify`.
 * @throws {ArgumentTypeError} The callsign is not a string, or there is no table.
 * @throws {ValueError} `at` is not a valid date.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const { rule, certainty, shared } = explain("FO/DL1ABC", { table });
 * rule; // => "portable prefix"
 * certainty; // => "shared-prefix"
 * shared?.prefix; // => "FO"
 */
export function explain(callsign: string, options: ExplainOptions): Explanation {
  const tables = tablesOf(options);
  const at = momentOf(options.at);
  const searches = tables.map((table): Searched => {
    const answer = identifyAt(callsign, table, at);
    return { table, answer, trace: traceSearch(callsign, table, at) };
  });
  const chosen = searches.reduce((best, one) => (!isKnown(best) && isKnown(one) ? one : best));
  const others = [
    ...searches.filter((one) => one !== chosen).map((one) => otherTable(chosen.answer, one)),
    ...(options.answers ?? []).map((one) => otherService(chosen.answer, one)),
  ];
  return explanationOf(callsign, chosen, { tables, others, at });
}

function isKnown({ answer }: Searched): boolean {
  return answer.kind !== "unknown";
}

function tablesOf(options: ExplainOptions | undefined): readonly TableSource[] {
  const { table, tables = [] } = options ?? {};
  const all = table === undefined && tables.length > 0 ? tables : [table, ...tables];
  return all.map(requireTable);
}

function otherTable(answer: Identification, { table, answer: other, trace }: Searched): OtherAnswer {
  return {
    source: table.name,
    sourceDate: table.date,
    answer: other,
    differs: differingFields(answer, other),
    entry: trace?.entry,
    passedOver: trace?.passedOver ?? [],
  };
}

function otherService(answer: Identification, { source, answer: other }: SourceAnswer): OtherAnswer {
  return {
    source,
    sourceDate: undefined,
    answer: other,
    differs: differingFields(answer, other),
    entry: undefined,
    passedOver: [],
  };
}

/** All tables, the answers of other sources, and the moment. */
interface ExplanationContext {
  readonly tables: readonly TableSource[];
  readonly others: readonly OtherAnswer[];
  readonly at: Moment;
}

function explanationOf(
  input: string,
  { table, answer, trace }: Searched,
  { tables, others, at }: ExplanationContext,
): Explanation {
  const parts = partsOf(input, trace);
  const rule = ruleOf(answer, trace, parts);
  const shared = sharedBy(trace, parts);
  const entry = trace?.entry;
  const overrides =
    answer.kind === "identified" && entry !== undefined ? overridesIn(answer, entry, table, at) : NONE;
  const reasons = {
    kind: answer.kind,
    input,
    callsign: trace?.callsign,
    at: new Date(at),
    parts,
    setAside: setAsideOf(parts, rule),
    rule,
    reason: answer.kind === "unknown" ? reasonOf(trace, parts) : undefined,
    source: table.name,
    sourceDate: table.date,
    entry,
    searched: searchedText(trace, parts),
    overrides,
    passedOver: trace?.passedOver ?? NONE,
    certainty: certaintyOf(answer, trace, shared),
    shared: shared && sharedByEntities(shared, tables),
    others,
    conflicts: [] as Conflict[],
  };
  reasons.conflicts = conflictsOf(answer, reasons, table);
  // Members that come first in a literal by spreading would make it as slow as the search.
  return Object.assign(reasons, answer);
}

const NONE: readonly never[] = [];

/** The text of the search, if it is no part of the callsign. */
function searchedText(trace: SearchTrace | undefined, parts: readonly CallsignPart[]): string | undefined {
  if (trace?.entry === undefined || trace.searched === "" || trace.searched === trace.entry.key)
    return undefined;
  return parts.some(({ text }) => text === trace.searched) ? undefined : trace.searched;
}

/** The parts; those of a prefix with a slash inside (3D2/R) name the place together. */
function partsOf(input: string, trace: SearchTrace | undefined): readonly CallsignPart[] {
  const normal = normalizeCallsign(input);
  if (normal === undefined) return NONE;
  const parts = callsignParts(normal);
  if (trace?.from === "slashed") return parts.with(1, { text: parts[1]?.text ?? "", role: "before" });
  const mark = normal === input ? "" : spotterMark(input);
  return mark === "" || parts.length === 0 ? parts : [...parts, { text: mark, role: "spotter" }];
}

const KG4 = "KG4";

function ruleOf(
  answer: Identification,
  trace: SearchTrace | undefined,
  parts: readonly CallsignPart[],
): DecidingRule {
  if (answer.kind === "invalid-operation") return "invalid operation";
  if (answer.kind === "unknown" || trace === undefined) return "none";
  if (trace.isMobile) return "suffix";
  if (trace.entry?.section === "calls") return trace.entry.key === trace.callsign ? "exact" : "suffix";
  switch (trace.from) {
    case "before":
      return "portable prefix";
    case "slashed":
      return "three parts";
    case "after":
      return "suffix is a prefix";
    case "area":
      return "call area digit";
    default:
      if (callOf(parts).startsWith(KG4)) return "length rule";
      return trace.callsign.includes("/") ? "suffix" : "prefix";
  }
}

function callOf(parts: readonly CallsignPart[]): string {
  return parts.find(({ role }) => role === "call")?.text ?? "";
}

const SET_ASIDE: ReadonlySet<PartRole> = new Set([
  "activity",
  "beacon",
  "own-area",
  "same-station",
  "spotter",
  "ssid",
  "state",
  "unused",
]);

/** No part of a callsign: an entry of the whole callsign has all parts but these. */
const APPENDED: ReadonlySet<PartRole> = new Set(["spotter", "ssid"]);

function setAsideOf(parts: readonly CallsignPart[], rule: DecidingRule): CallsignPart[] {
  return parts.length === 1
    ? []
    : parts.filter(({ role }) => (rule === "exact" ? APPENDED.has(role) : SET_ASIDE.has(role)));
}

function reasonOf(trace: SearchTrace | undefined, parts: readonly CallsignPart[]): UnknownReason {
  if (trace === undefined) return "not-a-callsign-text";
  if (trace.passedOver.length > 0) return "no-entry-then";
  return parts.length === 0 ? "no-call-form" : "no-entry";
}

/** The shared prefix of the text that names the place, unless a longer prefix of it belongs to one entity. */
function sharedBy(trace: SearchTrace | undefined, parts: readonly CallsignPart[]): SharedPrefix | undefined {
  if (trace?.entry === undefined) return undefined;
  const { entry, from, searched } = trace;
  if (entry.section === "calls") return sharedPrefixOf(entry.key);
  const shared = sharedPrefixOf(from === "own" ? callOf(parts) || searched : searched);
  const isNarrower =
    shared !== undefined && entry.key.length > shared.prefix.length && entry.key.startsWith(shared.prefix);
  return isNarrower ? undefined : shared;
}

function certaintyOf(
  answer: Identification,
  trace: SearchTrace | undefined,
  shared: SharedPrefix | undefined,
): Certainty {
  if (answer.kind === "unknown" || trace === undefined) return "no-entry";
  if (trace.isInvalidOperation) return "exact-entry";
  if (trace.isMobile || answer.kind === "invalid-operation") return "no-entity";
  if (trace.entry?.section === "calls")
    return answer.kind === "identified" && answer.assumed ? "assumed-entry" : "exact-entry";
  return shared === undefined ? "single-entity" : "shared-prefix";
}

function sharedByEntities(
  { prefix, entities }: SharedPrefix,
  tables: readonly TableSource[],
): SharedByEntities {
  return { prefix, entities: entities.map((adif) => entityName(adif, tables)) };
}

/** With the name that the first table has. */
function entityName(adif: number, tables: readonly TableSource[]): DxccEntityName {
  for (const table of tables) {
    const country = table.entity(adif)?.country;
    if (country !== undefined) return { adif, country };
  }
  return { adif, country: undefined };
}

/** The key of each field in the records of all sources. */
const KEYS = [
  ["entity", "adif"],
  ["continent", "continent"],
  ["cqz", "cqz"],
  ["ituz", "ituz"],
] as const;

/**
 * The fields that differ. Of records only fields that both have are compared: country files have ITU zones and log XML has none,
 * callbooks have what owners typed, and a zone of 0 means several.
 */
function differingFields(
  one: Identification<object>,
  other: Identification<object>,
): readonly ComparedField[] {
  if (one.kind !== "identified" || other.kind !== "identified")
    return one.kind === other.kind ? [] : ["answer"];
  return KEYS.filter(([, key]) => {
    const [here, there] = [valueOf(one.record, key), valueOf(other.record, key)];
    return here !== undefined && there !== undefined && here !== there;
  }).map(([field]) => field);
}

/** A number other than 0, or the text of a continent; `undefined` for others. */
function valueOf(record: object, key: string): unknown {
  const value: unknown = Reflect.get(record, key);
  if (key === "continent") return typeof value === "string" && value !== "" ? value : undefined;
  return typeof value === "number" && value !== 0 ? value : undefined;
}

/** The values of an entity; the main prefix has the ITU zone, which the list of entities lacks. */
type Usual = Pick<LandRecord, "country" | "continent" | "cqz" | "ituz" | "latitude" | "longitude">;

/**
 * What the entry has in another way than the entity, and the list of zones than the entry.
 *
 * @param answer The identification, with the zone of the list.
 */
function overridesIn(
  answer: IdentifiedCallsign,
  { record }: ExplainedEntry,
  table: TableSource,
  at: Moment,
): readonly Override[] {
  const overrides: Override[] = [];
  const usual = usualOf(record.adif, table, at);
  if (usual !== undefined && usual !== record && !isMobileRecord(record)) {
    const { country, continent, cqz, ituz, latitude, longitude }: LandRecord = record;
    if (country !== usual.country)
      overrides.push({ by: "entry", field: "country", value: country, usual: usual.country });
    if (continent !== usual.continent)
      overrides.push({ by: "entry", field: "continent", value: continent, usual: usual.continent });
    if (cqz !== usual.cqz) overrides.push({ by: "entry", field: "cqz", value: cqz, usual: usual.cqz });
    if (ituz !== undefined && usual.ituz !== undefined && ituz !== usual.ituz)
      overrides.push({ by: "entry", field: "ituz", value: ituz, usual: usual.ituz });
    if (latitude !== usual.latitude || longitude !== usual.longitude)
      overrides.push({
        by: "entry",
        field: "position",
        value: { latitude, longitude },
        usual: { latitude: usual.latitude, longitude: usual.longitude },
      });
  }
  if (answer.record.cqz !== undefined && record.cqz !== undefined && answer.record.cqz !== record.cqz)
    overrides.push({ by: "zone-exception", field: "cqz", value: answer.record.cqz, usual: record.cqz });
  return overrides;
}

function usualOf(adif: number, table: TableSource, at: Moment): Usual | undefined {
  const entity = table.entity(adif);
  if (entity === undefined) return undefined;
  const main = table.prefix(entity.prefix, at);
  return main?.adif === adif && main.continent !== "" && main.country === entity.country ? main : entity;
}
