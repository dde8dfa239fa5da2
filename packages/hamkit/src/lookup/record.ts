/** The records of callsigns and DXCC entities. Their keys are the same in every source. */

/** A continent; "" only for stations at sea or in the air. */
export type Continent = LandContinent | "";

/** Abbreviation of a continent. */
export type LandContinent = "EU" | "NA" | "SA" | "AS" | "AF" | "OC" | "AN";

const CONTINENTS: ReadonlySet<unknown> = new Set(["EU", "NA", "SA", "AS", "AF", "OC", "AN"]);

/** Whether a value is the abbreviation of a continent. */
export function isContinent(value: unknown): value is LandContinent {
  return CONTINENTS.has(value);
}

/** The record of a station on land. Sources freeze it, because callers share it. */
export interface LandRecord {
  /** Name of the entity; sources spell names differently. */
  readonly country: string;
  /** DXCC entity code of ADIF. */
  readonly adif: number;
  readonly continent: LandContinent;
  /** WGS84 degrees, north positive. */
  readonly latitude: number;
  /** WGS84 degrees, east positive. */
  readonly longitude: number;
  /** CQ zone, 1 to 40. */
  readonly cqz: number;
  /** ITU zone, 1 to 90; absent where the source has none. */
  readonly ituz?: number;
  /** The callsign has the suffix of a beacon. */
  readonly beacon?: true;
  /** The log service does not count the station for this entity at that time; only its API reports it. */
  readonly blocked?: true;
}

/** The record of a station at sea or in the air, which has no entity, no place and no zones. */
export interface MobileRecord {
  readonly country: string;
  /** 999 at sea, 998 in the air. */
  readonly adif: number;
  readonly continent: "";
  readonly latitude?: undefined;
  readonly longitude?: undefined;
  readonly cqz?: undefined;
  readonly ituz?: undefined;
  readonly beacon?: true;
  readonly blocked?: true;
}

/** The record of a callsign. `continent` is "" at sea and in the air only. */
export type CallsignRecord = LandRecord | MobileRecord;

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
  readonly continent: LandContinent;
}

/** Stations at sea and in the air. The codes are those that log programs use outside the DXCC list. */
export const MOBILE_RECORDS: Readonly<Record<"maritime" | "aeronautical", MobileRecord>> = {
  maritime: Object.freeze(mobileRecord("MARITIME MOBILE", 999)),
  aeronautical: Object.freeze(mobileRecord("AIRCRAFT MOBILE", 998)),
};

/**
 * The record of prefixes that are assigned to no country, such as SWL: in log XML they have this name and nothing else.
 * Operations under them don't count.
 */
export const INVALID_RECORD = Object.freeze({ country: "INVALID" }) as LandRecord;

function mobileRecord(country: string, adif: number): MobileRecord {
  return { country, adif, continent: "" };
}

/** Whether a record is that of a station at sea or in the air. */
export function isMobileRecord(record: object): record is MobileRecord {
  return "continent" in record && record.continent === "";
}
