/** Entries and records in words. */
import type { Position } from "../../geo/position.js";
import type { ComparedField, ExplainedEntry, Override } from "./explanation.js";

/** "prefix VP9", "call VP8DY from 1968-01-01 to 1984-12-31". */
export function entryText({ section, key, start, end }: ExplainedEntry): string {
  const from = start === undefined ? "" : ` from ${dayText(start)}`;
  const to = end === undefined ? "" : ` to ${dayText(end)}`;
  return `${section === "calls" ? "call" : "prefix"} ${key}${from}${to}`;
}

/** The day of a moment, and the time unless it is the first or the last second of the day. */
function dayText(moment: Date): string {
  const [day = "", time = ""] = moment.toISOString().slice(0, 19).split("T");
  return time === "00:00:00" || time === "23:59:59" ? day : `${day} ${time}`;
}

/** "Bermuda, DXCC 64, NA, CQ 5, ITU 11", with the fields that the record has. Zone 0 means none, or several. */
export function callsignRecordText(record: object): string {
  const value = (key: string): string | number | undefined => {
    const found: unknown = Reflect.get(record, key);
    return (typeof found === "string" && found !== "") || (typeof found === "number" && found !== 0)
      ? found
      : undefined;
  };
  const labeled = (label: string, key: string): string[] => {
    const found = value(key);
    return found === undefined ? [] : [`${label}${found}`];
  };
  // In a callbook record `country` is that of the address, `land` that of the station.
  return [
    String(value("land") ?? value("country") ?? "no country"),
    ...labeled("DXCC ", "adif"),
    ...labeled("", "continent"),
    ...labeled("CQ ", "cqz"),
    ...labeled("ITU ", "ituz"),
  ].join(", ");
}

/** The country of an entry; prefixes that are assigned to no country have none. */
export function countryOfEntry({
  country,
  adif,
}: {
  readonly country: string;
  readonly adif?: number;
}): string {
  return adif === undefined ? "in no country" : country;
}

/** Degrees with two decimals, north and east positive. */
export function degreesText({ latitude, longitude }: Position): string {
  return `${latitude.toFixed(2)} ${longitude.toFixed(2)}`;
}

/** "embedded country file VER20260530 of 2026-05-30" */
export function sourceText(source: string, date: string | undefined): string {
  return date === undefined ? source : `${source} of ${date}`;
}

/** The names of fields, for a sentence. */
export function fieldNames(fields: readonly (ComparedField | Override["field"])[]): string {
  return fields.map((field) => NAMES[field] ?? field).join(", ");
}

const NAMES: Readonly<Partial<Record<ComparedField | Override["field"], string>>> = {
  cqz: "CQ zone",
  ituz: "ITU zone",
};
