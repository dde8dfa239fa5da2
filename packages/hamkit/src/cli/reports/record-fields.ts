/** What the records of all kinds of database have in common, as far as each shows it. */

export interface RecordFields {
  readonly country: string | null;
  readonly adif: number | null;
  /** "" at sea and in the air; `null` where the database doesn't tell. */
  readonly continent: string | null;
  /** 0 at sea and in the air. */
  readonly cqz: number | null;
  readonly ituz: number | null;
  /** `null` at sea and in the air too: nobody knows where. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly beacon: boolean;
  /** What only callbooks tell: name, address, and so on; `null` where there is nothing. */
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

/** The fields of a record. Callbooks have texts in place of numbers that their owners mistyped; these are no numbers. */
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
    // A callbook's country is the one of the address, and land that of the station.
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
