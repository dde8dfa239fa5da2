/** What is known of a station in a contest: by a table of callsigns, and by its exchange. */
import { waeRegionOf } from "../awards/units/wae-countries.js";
import { locatorToPosition } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import { identifyAt } from "../lookup/identify.js";
import type { TableSource } from "../lookup/source.js";

/** What a caller knows of a station; it replaces what the table has. */
export interface ContestStation {
  readonly call: string;
  /** Code of the DXCC entity, such as 230. A rule that names entities otherwise may have other texts. */
  readonly entity?: string | number | undefined;
  /** Such as EU. */
  readonly continent?: string | undefined;
  readonly cqZone?: string | number | undefined;
  readonly ituZone?: string | number | undefined;
  readonly locator?: string | undefined;
  /** Values of its exchange by property, such as `{ state_province: "CT" }`. */
  readonly exchange?: Readonly<Record<string, string | number>> | undefined;
}

/** The facts of a call, as texts that rules compare. */
export interface StationFacts {
  readonly dxcc_entity?: string | undefined;
  /** The entity, or the region of the WAE list that counts instead. */
  readonly cq_country?: string | undefined;
  readonly continent?: string | undefined;
  readonly cq_zone?: string | undefined;
  readonly itu_zone?: string | undefined;
  readonly position?: Position | undefined;
}

/** A station in a contact. */
export interface KnownStation {
  /** In upper case. */
  readonly call: string;
  readonly facts: StationFacts;
  /** Words of its exchange by property. */
  readonly words: Readonly<Record<string, string>>;
}

const NO_FACTS: StationFacts = Object.freeze({});

/** Calls whose facts are kept. */
const MAX_CALLS = 100_000;

/** A function for the facts of calls by a table, on a day; today when left out. */
export function createFactsReader(
  table: TableSource | undefined,
  at = new Date(),
): (call: string) => StationFacts {
  if (table === undefined) return () => NO_FACTS;
  const known = new Map<string, StationFacts>();
  const moment = at.getTime();
  return (call) => {
    let facts = known.get(call);
    if (facts === undefined) {
      if (known.size >= MAX_CALLS) known.clear();
      known.set(call, (facts = factsOf(call, table, moment)));
    }
    return facts;
  };
}

function factsOf(call: string, table: TableSource, now: number): StationFacts {
  const found = identifyAt(call, table, now);
  if (found.kind !== "identified") return NO_FACTS;
  const { adif, continent, country, cqz, ituz, latitude, longitude } = found.record;
  if (continent === "") return NO_FACTS;
  return {
    dxcc_entity: String(adif),
    cq_country: waeRegionOf(call, { code: adif, country, continent }) ?? String(adif),
    continent,
    cq_zone: cqz === undefined ? undefined : String(cqz),
    itu_zone: ituz === undefined ? undefined : String(ituz),
    position: latitude === undefined || longitude === undefined ? undefined : { latitude, longitude },
  };
}

/** The facts of the table, replaced by those that the caller has. */
export function factsWith(
  facts: StationFacts,
  { entity, continent, cqZone, ituZone, locator }: Partial<ContestStation>,
): StationFacts {
  if ((entity ?? continent ?? cqZone ?? ituZone ?? locator) === undefined) return facts;
  const code = wordOf(entity);
  return {
    ...facts,
    ...(code !== undefined && code !== facts.dxcc_entity && { dxcc_entity: code, cq_country: code }),
    ...(continent !== undefined && { continent: wordOf(continent) }),
    ...(cqZone !== undefined && { cq_zone: wordOf(cqZone) }),
    ...(ituZone !== undefined && { itu_zone: wordOf(ituZone) }),
    ...(locator !== undefined && { position: locatorToPosition(locator, "locator", "center") }),
  };
}

/** A word as rules compare it: in upper case, numbers without leading zeros. */
export function wordOf(word: string | number | undefined): string | undefined {
  if (word === undefined) return undefined;
  const text = String(word).trim().toUpperCase();
  return /^0+\d+$/.test(text) ? String(Number(text)) : text;
}
