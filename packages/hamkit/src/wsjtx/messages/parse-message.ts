/** The meaning of message texts. */
import { ArgumentTypeError } from "../../errors.js";
import type { ParsedMessage } from "./message.js";
import {
  membersOf,
  typeOf,
  isGrid,
  reportOf,
  stationOf,
  isGrid6,
  type NamedStation,
} from "./message-words.js";

/** Options of `parseMessage`. */
export interface ParseMessageOptions {
  /**
   * The mode's name. `WSPR` and `FST4W` have texts of their own: `K1ABC FN42 37` is a beacon there and a free text elsewhere. All
   * other modes are read alike; names in any case.
   */
  readonly mode?: string | null | undefined;
}

/** A longer text is no message: 37 characters, and the additions of the program. */
const MAX_LENGTH = 80;

/**
 * The meaning of a text of FT8, FT4, MSK144, Q65, FST4, JT65, JT9, JT4, or of WSPR and FST4W.
 *
 * A text can't be read with certainty: `ambiguous` marks those with more than one reading. A locator is never RR73, and a call is
 * recognized by its form alone, whether or not it was assigned.
 *
 * @param text The text of a decode (`message`), with or without what the program adds at its end. In any case.
 * @returns `kind` tells what it is. A text without another meaning is `"freeText"`.
 * @throws {ArgumentTypeError} The text or the mode is not a string.
 * @see Franke, Somerville, Taylor, "The FT4 and FT8 Communication Protocols", QEX, July/August 2020: the message types.
 * @example
 * parseMessage("CQ POTA K1ABC FN42"); // => { kind: "cq", de: "K1ABC", grid: "FN42", cq: "POTA", type: "1" }
 * parseMessage("W9XYZ K1ABC R-09"); // => { kind: "rogerReport", to: "W9XYZ", de: "K1ABC", report: -9, type: "1" }
 * parseMessage("TNX BOB 73 GL"); // => { kind: "freeText", type: "0.0" }
 * parseMessage("TI4JWC EK70 30", { mode: "WSPR" }); // => { kind: "wspr", de: "TI4JWC", grid: "EK70", powerDbm: 30 }
 */
export function parseMessage(text: string, { mode }: ParseMessageOptions = {}): ParsedMessage {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "text", value: text, expected: "a string" });
  }
  // A status has null for a mode that was never set.
  if (typeof mode !== "string" && mode !== undefined && mode !== null) {
    throw new ArgumentTypeError({ argument: "mode", value: mode, expected: "the name of a mode" });
  }
  if (text.length > MAX_LENGTH) return { kind: "freeText" };
  const { text: plain, flags } = splitFlags(text);
  const message = parsePlain(plain, mode?.toUpperCase());
  return flags.length === 0 ? message : { ...message, flags };
}

function parsePlain(plain: string, mode: string | undefined): ParsedMessage {
  const verified = verificationOf(plain);
  if (verified !== undefined) return verified;
  const text = plain.toUpperCase();
  const words = text.split(/\s+/);
  if (mode === "WSPR" || mode === "FST4W") return parseWspr(words);
  return (
    parseCq(words) ??
    parseCalling(words) ??
    parseDirected(words) ??
    parseContest(words) ??
    parseShort(text) ??
    parseTelemetry(text) ??
    parseDoubtful(words) ??
    freeText(text, words)
  );
}

/** SuperFox: a line of the program itself. */
function verificationOf(text: string): ParsedMessage | undefined {
  const [, call] = /^(\S+) verified$/.exec(text) ?? [];
  if (call !== undefined && stationOf(call)?.call === call)
    return { kind: "verification", de: call, type: "superfox" };
  const [, claimed] = /^\$VERIFY\$ (\S+) \d+$/.exec(text) ?? [];
  return claimed === undefined ? undefined : { kind: "verification", de: claimed };
}

/** `CQ`, a word or a frequency, a call, a locator. A call comes before a word: E2E has the form of neither direction. */
function parseCq(words: readonly string[]): ParsedMessage | undefined {
  if (words[0] !== "CQ") return undefined;
  const hasWord = words.length > 2 && /^(?:[A-Z]{1,4}|[0-9]{3})$/.test(words[1] ?? "");
  const [call = "", tail, ...rest] = words.slice(hasWord ? 2 : 1);
  const de = stationOf(call);
  if (de === undefined || rest.length > 0) return undefined;
  const start = { kind: "cq", ...membersOf({ de }) } as const;
  const word = hasWord && words[1] !== "CQ" ? { cq: words[1] ?? "" } : undefined;
  if (tail === undefined || isGrid(tail)) {
    const type = typeOf([de], tail !== undefined || word !== undefined);
    return {
      ...start,
      ...(tail === undefined ? undefined : { grid: tail }),
      ...word,
      ...type,
      ...(words[1] === "CQ" ? { ambiguous: true } : undefined),
    };
  }
  // A CQ carries no roger and no report: such a decode is false, though its call may be right.
  return isEnding(tail) ? { ...start, ...word, ambiguous: true } : undefined;
}

/** `DE` or `QRZ` instead of the addressee. */
function parseCalling([first, call = "", tail, ...rest]: readonly string[]): ParsedMessage | undefined {
  if ((first !== "DE" && first !== "QRZ") || rest.length > 0) return undefined;
  const de = stationOf(call);
  if (de === undefined || !(tail === undefined || isGrid(tail))) return undefined;
  const grid = tail === undefined ? undefined : { grid: tail };
  return {
    kind: first === "DE" ? "cq-like" : "qrz",
    ...membersOf({ de }),
    ...grid,
    ...typeOf([de], true),
  };
}

/** Two calls, and a locator, a report, an end or nothing. */
function parseDirected([first = "", second = "", ...tail]: readonly string[]): ParsedMessage | undefined {
  if (tail.length > 2) return undefined;
  const to = stationOf(first);
  const de = stationOf(second);
  if (to === undefined || de === undefined) return undefined;
  const body = bodyOf(tail);
  if (body === undefined) return undefined;
  const carries = body.kind === "grid" || body.kind === "rogerGrid" || "report" in body;
  return { ...body, ...membersOf({ to, de }), ...typeOf([to, de], carries) };
}

type Body =
  | { readonly kind: "call" | "rrr" | "rr73" | "73" }
  | { readonly kind: "grid" | "rogerGrid"; readonly grid: string; readonly contest?: string }
  | { readonly kind: "report" | "rogerReport"; readonly report: number };

/** What follows the calls. */
function bodyOf([word, more]: readonly string[]): Body | undefined {
  if (word === undefined) return { kind: "call" };
  if (more !== undefined) {
    const isRoger = word === "R" && isGrid(more);
    return isRoger ? { kind: "rogerGrid", grid: more, contest: "NA VHF or WW Digi" } : undefined;
  }
  if (isGrid(word)) return { kind: "grid", grid: word };
  if (word === "RRR") return { kind: "rrr" };
  if (word === "RR73") return { kind: "rr73" };
  if (word === "73") return { kind: "73" };
  const report = reportOf(word);
  if (report !== undefined) return { kind: "report", report };
  const rogered = word.startsWith("R") ? reportOf(word.slice(1)) : undefined;
  return rogered === undefined ? undefined : { kind: "rogerReport", report: rogered };
}

function isEnding(word: string): boolean {
  const kind = bodyOf([word])?.kind;
  return kind !== undefined && kind !== "grid";
}

/** MSK144's short messages: one hash of both calls, and a report or an end. */
function parseShort(text: string): ParsedMessage | undefined {
  const [, first = "", second = "", tail = ""] = /^<(\S+) (\S+)> (\S+)$/.exec(text) ?? [];
  const to = stationOf(first);
  const de = stationOf(second);
  const body = bodyOf([tail]);
  if (to === undefined || de === undefined || body === undefined || body.kind === "grid") return undefined;
  return { ...body, ...membersOf({ to: { ...to, hashed: true }, de: { ...de, hashed: true } }) };
}

/** Of 18 digits, which are 72 bits, the first has three bits. Fewer than eight are rather a free text. */
function parseTelemetry(text: string): ParsedMessage | undefined {
  const isTelemetry = /^(?:[0-9A-F]{8,17}|[0-7][0-9A-F]{17})$/.test(text) && /[0-9]/.test(text);
  return isTelemetry ? { kind: "telemetry", payload: text, type: "0.5" } : undefined;
}

/** Texts with a call at a place where no message type has one alone. */
function parseDoubtful([first = "", second = "", ...rest]: readonly string[]): ParsedMessage | undefined {
  const [tail, ...more] = rest;
  if (tail === undefined) {
    const to = stationOf(first);
    if (to !== undefined && second !== "" && bodyOf([second]) !== undefined)
      return { kind: "call?", ...membersOf({ to }), ambiguous: true };
    return to !== undefined && /^[0-9]{1,2}$/.test(second)
      ? { kind: "unknown?", ambiguous: true }
      : undefined;
  }
  const de = stationOf(second);
  if (!isGrid(first) || de === undefined || !isGrid(tail) || more.length > 0) return undefined;
  return { kind: "unknown?", ...membersOf({ de }), grid: tail, ambiguous: true };
}

/** The characters and the length of a free text of 71 bits. */
const FREE_TEXT = /^[A-Z0-9+./? -]{1,13}$/;

function freeText(text: string, words: readonly string[]): ParsedMessage {
  const namesStation = words.length === 2 && stationOf(words[1] ?? "") !== undefined;
  return {
    kind: "freeText",
    ...(FREE_TEXT.test(text) ? { type: "0.0" } : undefined),
    ...(namesStation ? { ambiguous: true } : undefined),
  };
}

/**
 * `a1` to `a8`: prior knowledge; `q35`, `q0*`: averages of Q65; `f`, `f2`, `dC2`: averages of JT4 and JT65. They are in lower
 * case, which no message has.
 */
const DECODER_MARK = /\s(a\d\d?|q\d[\d*]?|f\d?|d\S\d)$/;

/** Two blanks or more before it: a free text can end with a question mark after one. */
const LOW_CONFIDENCE = /\s\s\?$/;

interface TextWithFlags {
  readonly text: string;
  readonly flags: readonly string[];
}

/** The text without additions, and their names. */
function splitFlags(message: string): TextWithFlags {
  let text = message.trim();
  const flags: string[] = [];
  const mark = DECODER_MARK.exec(text)?.[1];
  if (mark !== undefined) {
    text = text.slice(0, -mark.length).trimEnd();
    flags.push(mark.startsWith("a") ? `ap${mark.slice(1)}` : mark);
  }
  if (LOW_CONFIDENCE.test(text)) {
    text = text.slice(0, -1).trimEnd();
    flags.unshift("lowConfidence");
  }
  return { text, flags };
}

/** A locator by its form: RR73 is one here. */
const GRID4 = /^[A-R]{2}[0-9]{2}$/;

/** In dBm: 0 to 60, and each level has 0, 3 or 7 as its last digit. */
const POWER = /^(?:[1-5]?[037]|60)$/;

/** @param words Of the text in upper case. */
function parseWspr(words: readonly string[]): ParsedMessage {
  const power = words.at(-1) ?? "";
  const de = stationOf(words[0] ?? "");
  const grid = words[1];
  if (de !== undefined && POWER.test(power)) {
    const start = { kind: "wspr", ...membersOf({ de }) } as const;
    const powerDbm = Number(power);
    if (words.length === 2) return { ...start, powerDbm };
    if (words.length === 3 && grid !== undefined && (de.hashed ? isGrid6(grid) : GRID4.test(grid)))
      return { ...start, grid, powerDbm };
  }
  return { kind: "unknown?", ambiguous: true };
}

/** The exchange of a contest, or a message of a Fox; `undefined` if it is none. */
function parseContest(words: readonly string[]): ParsedMessage | undefined {
  return parseFox(words) ?? parseFormerEuVhf(words) ?? parseExchange(words);
}

/** `A RR73; B <FOX> -12`, and `A RR73; CQ B GRID`, which the protocol names but no program sends. */
function parseFox([first = "", end, second = "", third = "", tail, ...rest]: readonly string[]):
  | ParsedMessage
  | undefined {
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
