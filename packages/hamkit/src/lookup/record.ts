/** The records of callsigns and DXCC entities. Their keys are the same in every source. */

/** Abbreviation of a continent; "" only for stations at sea or in the air. */
export type Continent = "EU" | "NA" | "SA" | "AS" | "AF" | "OC" | "AN" | "";

const CONTINENTS: ReadonlySet<unknown> = new Set(["EU", "NA", "SA", "AS", "AF", "OC", "AN"]);

/** Whether a value is the abbreviation of a continent. */
export function isContinent(value: unknown): value is Exclude<Continent, ""> {
  return CONTINENTS.has(value);
}

/** The record of a callsign. Sources freeze it, because callers share it. */
export interface CallsignRecord {
  /** Name of the entity; sources spell names differently. */
  readonly country: string;
  /** DXCC entity code of ADIF; 999 at sea, 998 in the air. */
  readonly adif: number;
  readonly continent: Continent;
  /** WGS84 degrees, north positive. */
  readonly latitude: number;
  /** WGS84 degrees, east positive. */
  readonly longitude: number;
  /** CQ zone, 1 to 40; 0 for stations at sea or in the air. */
  readonly cqz: number;
  /** ITU zone, 1 to 90; absent where the source has none; 0 for stations at sea or in the air. */
  readonly ituz?: number;
  /** The callsign has the suffix of a beacon. */
  readonly beacon?: true;
  /** The log service does not count the station for this entity at that time; only its API reports it. */
  readonly blocked?: true;
}

/** The record of a DXCC entity. */
export interface EntityRecord {
  /** Deleted from the DXCC list. */
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

/** Stations at sea and in the air. The codes are those that log programs use outside the DXCC list. */
export const MOBILE_RECORDS: Readonly<Record<"maritime" | "aeronautical", CallsignRecord>> = {
  maritime: Object.freeze(mobileRecord("MARITIME MOBILE", 999)),
  aeronautical: Object.freeze(mobileRecord("AIRCRAFT MOBILE", 998)),
};

/**
 * The record of prefixes that are assigned to no country, such as SWL: in log XML they have this name and nothing else.
 * Operations under them don't count.
 */
export const INVALID_RECORD = Object.freeze({ country: "INVALID" }) as CallsignRecord;

function mobileRecord(country: string, adif: number): CallsignRecord {
  return { country, adif, continent: "", latitude: 0, longitude: 0, cqz: 0, ituz: 0 };
}
