/** Texts of contests, and of Fox. */
import type { ParsedMessage } from "./message.js";
import { membersOf } from "./message-stations.js";
import { isGrid, isGrid6, reportOf, stationOf, type NamedStation } from "./message-words.js";

/** The exchange of a contest, or a message of a Fox; `undefined` if it is none. */
export function parseContest(words: readonly string[]): ParsedMessage | undefined {
  return parseFox(words) ?? parseFormerEuVhf(words) ?? parseExchange(words);
}

/** `A RR73; B <FOX> -12`, and `A RR73; CQ B GRID`, which the protocol names but no program sends. */
function parseFox([first = "", end, second = "", third = "", tail, ...rest]: readonly string[]):
  ParsedMessage | undefined {
  if (end !== "RR73;" || rest.length > 0) return undefined;
  const ended = stationOf(first);
  const de = stationOf(third);
  if (ended === undefined || de === undefined) return undefined;
  if (second === "CQ") {
    if (tail !== undefined && !isGrid(tail)) return undefined;
    return {
      kind: "rr73Cq",
      ...membersOf({ to: ended, de }),
      ...(tail === undefined ? undefined : { grid: tail }),
    };
  }
  const reportTo = stationOf(second);
  const report = reportOf(tail ?? "");
  if (reportTo === undefined || report === undefined) return undefined;
  // Type 0.1 has even reports of -30 to +32 in five bits.
  const type = report % 2 === 0 && report >= -30 && report <= 32 ? { type: "0.1" } : undefined;
  return { kind: "foxReport", ...membersOf({ de, rr73To: ended, reportTo }), report, ...type };
}

/** Type 0.2, no longer sent: without a sender. */
function parseFormerEuVhf([first = "", ...tail]: readonly string[]): ParsedMessage | undefined {
  const to = stationOf(first);
  const { roger, words } = withoutRoger(tail);
  const exchange = euVhfExchange(words);
  if (to === undefined || exchange === undefined) return undefined;
  return { kind: "euVhf", ...membersOf({ to }), roger, exchange, type: "0.2" };
}

/** Two calls, a roger or none, and an exchange of two words. */
function parseExchange(all: readonly string[]): ParsedMessage | undefined {
  const tu = all[0] === "TU;";
  const [first = "", second = "", ...tail] = tu ? all.slice(1) : all;
  const to = stationOf(first);
  const de = stationOf(second);
  if (to === undefined || de === undefined) return undefined;
  const { roger, words } = withoutRoger(tail);
  const rttyRoundup = rttyRoundupExchange(words);
  const calls = membersOf({ to, de });
  if (rttyRoundup !== undefined) {
    const thanks = tu ? ({ tu: true } as const) : undefined;
    return { kind: "rttyRoundup", ...calls, ...thanks, roger, exchange: rttyRoundup, type: "3" };
  }
  if (tu) return undefined;
  const fieldDay = fieldDayExchange(words);
  if (fieldDay !== undefined) {
    const type = fieldDay.transmitters <= 16 ? "0.3" : "0.4";
    return { kind: "fieldDay", ...calls, roger, exchange: fieldDay, type };
  }
  const euVhf = euVhfExchange(words);
  if (euVhf === undefined) return undefined;
  return { kind: "euVhf", ...calls, roger, exchange: euVhf, ...typeOfEuVhf(to, de) };
}

/** Type 5 sends both calls as a hash. */
function typeOfEuVhf(to: NamedStation, de: NamedStation): { readonly type: string } | undefined {
  return to.hashed && de.hashed ? { type: "5" } : undefined;
}

function withoutRoger(tail: readonly string[]): {
  readonly roger: boolean;
  readonly words: readonly string[];
} {
  const roger = tail[0] === "R";
  return { roger, words: roger ? tail.slice(1) : tail };
}

/** `6A WI`: 1 to 32 transmitters; class A to F, or H, I, M, O of Winter Field Day; a section. */
function fieldDayExchange([entry = "", section = "", ...rest]: readonly string[]) {
  const [, count, category] = /^([1-9]|[12][0-9]|3[0-2])([A-FHIMO])$/.exec(entry) ?? [];
  if (count === undefined || category === undefined || rest.length > 0) return undefined;
  return /^[A-Z]{2,3}$/.test(section) ? { transmitters: Number(count), class: category, section } : undefined;
}

/** `559 MA` or `559 0013`: RST 529 to 599, and a state or province, or a serial number of 1 to 7999. */
function rttyRoundupExchange([rst = "", value = "", ...rest]: readonly string[]) {
  if (!/^5[2-9]9$/.test(rst) || rest.length > 0) return undefined;
  if (/^[A-Z]{2,3}$/.test(value)) return { rst, state: value };
  const serial = /^[0-7][0-9]{3}$/.test(value) ? Number(value) : 0;
  return serial >= 1 ? { rst, serial } : undefined;
}

/** `570007 JO22DB`: RS 52 to 59 and a serial number of four digits; a locator of six characters. */
function euVhfExchange([numbers = "", grid = "", ...rest]: readonly string[]) {
  const [, rs, serial] = /^(5[2-9])([0-9]{4})$/.exec(numbers) ?? [];
  if (rs === undefined || serial === undefined || !isGrid6(grid) || rest.length > 0) return undefined;
  return { rs, serial: Number(serial), grid };
}
