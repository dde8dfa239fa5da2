/** The own station of an FLE log: keywords of its header, such as `mycall` and `mysota`. */
import { showValue } from "../../show-value.js";
import { hasCallForm } from "../contest-log.js";
import type { LogField } from "../log.js";
import {
  exampleOf,
  isLocatorWord,
  locatorFields,
  programOfReferences,
  referenceFields,
  type FleProgram,
} from "./fle-tables.js";

/** A value of a keyword as fields of each QSO; `undefined` for one that the keyword does not have. */
type ValueReader = (value: string) => readonly LogField[] | undefined;

const textOf =
  (name: string): ValueReader =>
  (value) => [{ name, value }];
const callOf =
  (name: string): ValueReader =>
  (value) =>
    /^[A-Z\d/]+$/i.test(value) && hasCallForm(value) ? [{ name, value: value.toUpperCase() }] : undefined;
const referencesOf =
  (program: FleProgram): ValueReader =>
  (value) => {
    const text = value.toUpperCase().replaceAll(/[\s,]+/g, ",");
    if (programOfReferences(text) !== program) return undefined;
    return referenceFields(new Map([[program, text]]), true);
  };
const coordinateOf =
  (name: string, [positive, negative]: readonly [string, string], limit: number): ValueReader =>
  (value) => {
    const degrees = /^[+-]?\d{1,3}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
    if (!(Math.abs(degrees) <= limit)) return undefined;
    // Rounded once, in thousandths of a minute, so that 59.9996' becomes the next degree.
    const thousandths = Math.round(Math.abs(degrees) * 60_000);
    const whole = String(Math.floor(thousandths / 60_000)).padStart(3, "0");
    const minutes = ((thousandths % 60_000) / 1000).toFixed(3).padStart(6, "0");
    return [{ name, value: `${degrees < 0 ? negative : positive}${whole} ${minutes}` }];
  };

/** In the order of the fields. Where `mywwff` and `mypota` both have MY_SIG, that of WWFF is first. */
const KEYWORDS: Readonly<Record<string, { readonly read: ValueReader; readonly expected: string }>> = {
  mycall: { read: callOf("STATION_CALLSIGN"), expected: "a callsign" },
  operator: { read: callOf("OPERATOR"), expected: "the callsign of the operator" },
  qslmsg: { read: textOf("QSLMSG"), expected: "a text" },
  mywwff: { read: referencesOf("WWFF"), expected: `a reference such as ${exampleOf("WWFF")}` },
  mypota: { read: referencesOf("POTA"), expected: `references such as ${exampleOf("POTA")}` },
  mysota: { read: referencesOf("SOTA"), expected: `a reference such as ${exampleOf("SOTA")}` },
  mygrid: { read: locatorOf, expected: "a locator such as JO50" },
  mylat: { read: coordinateOf("MY_LAT", ["N", "S"], 90), expected: "degrees from -90 to 90, north positive" },
  mylon: {
    read: coordinateOf("MY_LON", ["E", "W"], 180),
    expected: "degrees from -180 to 180, east positive",
  },
  mycounty: { read: textOf("MY_CNTY"), expected: "a text" },
  nickname: { read: textOf("APP_EQSL_QTH_NICKNAME"), expected: "a text" },
};

function locatorOf(value: string): readonly LogField[] | undefined {
  const locator = value.replace(/^#/, "").toUpperCase();
  return isLocatorWord(locator) ? locatorFields(locator, "MY_") : undefined;
}

/** A line of the header. */
export interface StationLine {
  readonly keyword: string;
  /** "" clears the value. */
  readonly value: string;
}

/** The keyword and value of a line; `undefined` for other lines. */
export function stationLine(line: string): StationLine | undefined {
  const [, word = "", value = ""] = /^(\S+)(?:\s+(.*))?$/s.exec(line) ?? [];
  const keyword = word.toLowerCase();
  return Object.hasOwn(KEYWORDS, keyword) ? { keyword, value } : undefined;
}

/** The current values of the own station. */
export interface FleStation {
  /** @returns The message of an invalid value, which changes nothing. */
  set: (line: StationLine) => string | undefined;
  /** The fields of a QSO. */
  fields: () => readonly LogField[];
}

/** @param lines The first line of each keyword that is valid for the whole log, wherever it is. */
export function createFleStation(lines: Iterable<StationLine>): FleStation {
  const values = new Map<string, readonly LogField[]>();
  let fields: readonly LogField[] | undefined;

  function set({ keyword, value }: StationLine): string | undefined {
    const { read, expected } = KEYWORDS[keyword] ?? { read: () => undefined, expected: "" };
    const found = value === "" ? [] : read(value);
    if (found === undefined) return `${keyword}: expected ${expected}, found ${showValue(value)}`;
    values.set(keyword, found);
    fields = undefined;
    return undefined;
  }

  for (const line of lines) set(line);
  return { set, fields: () => (fields ??= merged(values)) };
}

function merged(values: ReadonlyMap<string, readonly LogField[]>): readonly LogField[] {
  const fields = new Map<string, LogField>();
  for (const keyword of Object.keys(KEYWORDS)) {
    const own = values.get(keyword) ?? [];
    const hasSig = fields.has("MY_SIG");
    for (const field of own) if (!hasSig || !field.name.startsWith("MY_SIG")) fields.set(field.name, field);
  }
  return Array.from(fields.values());
}

/**
 * The first line of each keyword, as far as it is valid for the whole log. An operator relieves another: this one is valid from
 * its line on.
 */
export function firstStationLines(lines: Iterable<string>): Iterable<StationLine> {
  const first = new Map<string, StationLine>();
  for (const text of lines) {
    const line = stationLine(text);
    if (line === undefined || line.keyword === "operator" || first.has(line.keyword)) continue;
    if (line.value !== "" && KEYWORDS[line.keyword]?.read(line.value) !== undefined)
      first.set(line.keyword, line);
  }
  return first.values();
}
