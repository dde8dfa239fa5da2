/** Extracts the common fields from the records of all kinds of database. */

export interface RecordFields {
  readonly country: string | null;
  readonly adif: number | null;
  /** "" at sea and in the air; `null` if the database doesn't have it. */
  readonly continent: string | null;
  /** 0 at sea and in the air. */
  readonly cqz: number | null;
  readonly ituz: number | null;
  /** `null` also at sea and in the air. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly beacon: boolean;
  /** Additional fields of callbooks: name, address, and so on; `null` without any. */
  readonly details: Readonly<Record<string, unknown>> | null;
}

const COMMON: ReadonlySet<string> = new Set([
  "adif",
  "beacon",
  "callsign",
  "continent",
  "country",
  "cqz",
  "ituz",
  "latitude",
  "longitude",
]);

/** The fields of a record. Malformed numbers in callbook records are text, and become `null`. */
export function fieldsOf(record: object): RecordFields {
  const values = new Map<string, unknown>(Object.entries(record));
  const number = (key: string): number | null => {
    const value = values.get(key);
    return typeof value === "number" ? value : null;
  };
  const text = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === "string" ? value : null;
  };
  const continent = text("continent");
  const isSomewhere = continent !== "";
  const details = Object.entries(record).filter(([key]) => !COMMON.has(key));
  return {
    // In a callbook record `country` is that of the address, `land` that of the station.
    country: text("land") ?? text("country"),
    adif: number("adif"),
    continent,
    cqz: number("cqz"),
    ituz: number("ituz"),
    latitude: isSomewhere ? number("latitude") : null,
    longitude: isSomewhere ? number("longitude") : null,
    beacon: values.get("beacon") === true,
    details: details.length === 0 ? null : Object.fromEntries(details),
  };
}
