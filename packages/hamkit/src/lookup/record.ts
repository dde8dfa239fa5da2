/** What is known of a callsign and of a DXCC entity. Keys are the same for every database. */

/** Letters of a continent. "" only for stations at sea or in the air. */
export type Continent = "EU" | "NA" | "SA" | "AS" | "AF" | "OC" | "AN" | "";

const CONTINENTS: ReadonlySet<unknown> = new Set(["EU", "NA", "SA", "AS", "AF", "OC", "AN"]);

/** Whether a value has the letters of a continent. */
export function isContinent(value: unknown): value is Exclude<Continent, ""> {
  return CONTINENTS.has(value);
}

/** What a database tells of a callsign. Frozen: nobody's change reaches another answer. */
export interface CallsignRecord {
  /** Name of the entity; databases spell names differently. */
  readonly country: string;
  /** DXCC entity code as ADIF has it; 999 at sea, 998 in the air. */
  readonly adif: number;
  readonly continent: Continent;
  /** WGS84 degrees, north positive. */
  readonly latitude: number;
  /** WGS84 degrees, east positive. */
  readonly longitude: number;
  /** CQ zone, 1 to 40; 0 for stations at sea or in the air. */
  readonly cqz: number;
  /** ITU zone, 1 to 90, only where the database has it; 0 for stations at sea or in the air. */
  readonly ituz?: number;
  /** The call belongs to a beacon. */
  readonly beacon?: true;
  /** The log service counts no such station for this entity at that time; only its own answers tell. */
  readonly blocked?: true;
}

/** What a database tells of a DXCC entity. */
export interface EntityRecord {
  /** No longer on the DXCC list. */
  readonly deleted: boolean;
  readonly country: string;
  /** WGS84 degrees, east positive. */
  readonly longitude: number;
  /** WGS84 degrees, north positive. */
  readonly latitude: number;
  readonly cqz: number;
  /** The entity's main prefix. */
  readonly prefix: string;
  readonly continent: Continent;
}

/** Stations in no country. The codes are those that log programs use outside the DXCC list. */
export const MOBILE_RECORDS: Readonly<Record<"maritime" | "aeronautical", CallsignRecord>> = {
  maritime: Object.freeze(nowhere("MARITIME MOBILE", 999)),
  aeronautical: Object.freeze(nowhere("AIRCRAFT MOBILE", 998)),
};

/**
 * What log XML says of prefixes that no country has, such as SWL: they have this name and nothing else. Operations under
 * them don't count.
 */
export const INVALID_RECORD = Object.freeze({ country: "INVALID" }) as CallsignRecord;

function nowhere(country: string, adif: number): CallsignRecord {
  return { country, adif, continent: "", latitude: 0, longitude: 0, cqz: 0, ituz: 0 };
}
