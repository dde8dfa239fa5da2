/**
 * Finds the contacts that are the same: of one call, on one band, in one group of modes, within minutes.
 *
 * A contact takes 40 bytes: of a log of a million there is no more in memory than this index.
 */
import type { AdifRecord } from "../adif/parse-adif.js";
import { groupedMode } from "../awards/contacts/mode-group.js";
import { bandOfRecord } from "../bands/record-band.js";
import { ValueError } from "../errors.js";
import { createContactTable, type ContactValues } from "./contact-table.js";

/** Options of what makes contacts the same. */
export interface SameContactOptions {
  /** Minutes between the times in two logs, at most. */
  readonly windowMinutes?: number | undefined;
}

/** A contact that was found. */
export interface FoundContact {
  /** From 0, in the order in which contacts were added. */
  readonly index: number;
  /** Between the two times, without sign. */
  readonly minutes: number;
}

/** An index of contacts. */
export interface ContactIndex {
  /** Adds a contact; returns its index. */
  add(record: AdifRecord): number;
  /** The contact nearest in time; `undefined` if none is the same, and for records without call, band, date or time. */
  find(record: AdifRecord): FoundContact | undefined;
  readonly size: number;
  /** Contacts without call, band, date or time, which are the same as none. */
  readonly incomparable: number;
}

/** As LoTW has it. */
const MATCH_WINDOW_MINUTES = 30;
const DAY_MINUTES = 24 * 60;

/** Two modes of one group are one contact if the times differ by no more: one of them was logged by mistake. */
const MODE_MINUTES = 2;

/**
 * Makes an index of contacts. Contacts are the same with one call and band, in one group of modes (`DATA`, `MFSK`, `FT4`), within
 * minutes of each other; from one own call and place, and through a satellite or not, where both say so. Two modes that differ, such as
 * `FT8` and `RTTY`, are so within two minutes only.
 *
 * @param options The window is 30 minutes when left out.
 * @throws {ValueError} The window is not a number of minutes from 0 to 1440.
 * @example
 * const index = createContactIndex();
 * index.add({ CALL: "DH1TW", BAND: "20m", MODE: "MFSK", SUBMODE: "FT4", QSO_DATE: "20240630", TIME_ON: "2358" });
 * index.find({ CALL: "DH1TW", FREQ: "14.08", MODE: "DATA", QSO_DATE: "20240701", TIME_ON: "0001" }); // => { index: 0, minutes: 3 }
 */
export function createContactIndex({
  windowMinutes = MATCH_WINDOW_MINUTES,
}: SameContactOptions = {}): ContactIndex {
  if (!(windowMinutes >= 0 && windowMinutes <= DAY_MINUTES))
    throw new ValueError({
      argument: "windowMinutes",
      value: windowMinutes,
      expected: `minutes from 0 to ${DAY_MINUTES}`,
    });
  const table = createContactTable();
  const register = createSideRegister();
  let incomparable = 0;

  return {
    add(record) {
      const kind = kindOf(record);
      const time = kind === undefined ? Number.NaN : minuteOf(record);
      if (Number.isNaN(time)) incomparable++;
      const side = register.numberOf(record);
      table.add(kind ?? "", Math.floor(time / DAY_MINUTES), { time, side, mode: modeNumber(record) });
      return table.size - 1;
    },
    find(record) {
      const kind = kindOf(record);
      const time = minuteOf(record);
      if (kind === undefined || Number.isNaN(time)) return undefined;
      const mode = modeNumber(record);
      const side = register.numberOf(record);
      let found: FoundContact | undefined;
      const compare = (index: number, other: ContactValues) => {
        const minutes = Math.abs(other.time - time);
        if (minutes > windowMinutes || (found !== undefined && minutes >= found.minutes)) return;
        if (minutes > MODE_MINUTES && other.mode !== mode && other.mode !== 0 && mode !== 0) return;
        if (!register.differ(other.side, side)) found = { index, minutes };
      };
      const until = Math.floor((time + windowMinutes) / DAY_MINUTES);
      for (let day = Math.floor((time - windowMinutes) / DAY_MINUTES); day <= until; day++)
        table.each(kind, day, compare);
      return found;
    },
    get size() {
      return table.size;
    },
    get incomparable() {
      return incomparable;
    },
  };
}

/** Call, band and group of modes; `undefined` without call or band. */
function kindOf(record: AdifRecord): string | undefined {
  const call = upperCase(record["CALL"]);
  const band = bandOfRecord(record["BAND"], record["FREQ"]);
  return call === "" || band === "" ? undefined : `${call} ${band} ${modeGroupOf(record)} `;
}

/** A number of the mode; 0 where only its group is known. */
function modeNumber({ MODE: mode, SUBMODE: submode }: AdifRecord): number {
  return isGroupName(mode ?? "") ? 0 : groupedMode(mode, submode).number;
}

/** The own call, the own place, and whether it was through a satellite. */
const SIDE: readonly ((record: AdifRecord) => string)[] = [
  ({ STATION_CALLSIGN: call }) => upperCase(call),
  ({ MY_GRIDSQUARE: locator }) => upperCase(locator).slice(0, 4),
  ({ MY_POTA_REF: park, MY_SIG_INFO: info }) => upperCase(park) || upperCase(info),
  ({ MY_SOTA_REF: summit }) => upperCase(summit),
  ({ MY_WWFF_REF: reserve }) => upperCase(reserve),
  ({ PROP_MODE: mode, SAT_NAME: satellite }) => {
    if (upperCase(mode) === "SAT" || upperCase(satellite) !== "") return "SAT";
    return upperCase(mode) === "" ? "" : "NONE";
  },
];

/** More than any log has: those above are taken for unknown. */
const MAX_SIDES = 100_000;

/** Numbers of own sides: a log has few. Of two, each part differs or is not known of one. */
function createSideRegister() {
  const numbers = new Map<string, number>();
  const parts: (readonly string[])[] = [];
  return {
    numberOf(record: AdifRecord): number {
      const values = SIDE.map((read) => read(record));
      const key = values.join("\n");
      const known = numbers.get(key);
      if (known !== undefined) return known;
      if (parts.length >= MAX_SIDES) return -1;
      numbers.set(key, parts.length);
      return parts.push(values) - 1;
    },
    differ(one: number, other: number): boolean {
      if (one === other) return false;
      const [first, second] = [parts[one], parts[other]];
      return (
        first?.some(
          (value, index) => value !== "" && (second?.[index] ?? "") !== "" && value !== second?.[index],
        ) ?? false
      );
    },
  };
}

/** Names of groups, as LoTW's reports have them instead of modes. */
const GROUP_NAMES: Readonly<Record<string, string>> = {
  PHONE: "phone",
  CW: "cw",
  DATA: "data",
  DIGITAL: "data",
  IMAGE: "image",
};

/** The mode group: DATA, MFSK and FT4 are one. */
export function modeGroupOf({ MODE: mode, SUBMODE: submode }: AdifRecord): string {
  const name = upperCase(mode);
  return Object.hasOwn(GROUP_NAMES, name) ? (GROUP_NAMES[name] ?? "") : groupedMode(mode, submode).group;
}

/** Whether a mode is only the name of a group. */
export function isGroupName(mode: string): boolean {
  const name = upperCase(mode);
  return name !== "CW" && Object.hasOwn(GROUP_NAMES, name);
}

/** Minutes since 1970, seconds as their part; NaN without a date or a time. */
export function minuteOf({ QSO_DATE: date = "", TIME_ON: time = "" }: AdifRecord): number {
  if (date.length !== 8 || (time.length !== 4 && time.length !== 6)) return Number.NaN;
  const seconds = time.length === 6 ? digits(time, 4, 6) : 0;
  const day = Date.UTC(digits(date, 0, 4), digits(date, 4, 6) - 1, digits(date, 6, 8));
  return day / 60_000 + digits(time, 0, 2) * 60 + digits(time, 2, 4) + seconds / 60;
}

/** NaN for what is no number. */
function digits(text: string, from: number, until: number): number {
  let number = 0;
  for (let index = from; index < until; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function upperCase(text: string | undefined): string {
  return text === undefined ? "" : text.trim().toUpperCase();
}
