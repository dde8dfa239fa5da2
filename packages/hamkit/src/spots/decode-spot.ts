/** Decodes lines of a DX cluster. */
import { ArgumentTypeError } from "../errors.js";
import { momentOf } from "../lookup/identify.js";
import { decodeAnnouncement, decodeTalk, decodeWcyLine, decodeWwvLine } from "./bulletin-line.js";
import { decodeCc11Line } from "./cc11-line.js";
import type { ClusterLine } from "./cluster-line.js";
import { decodeDxLine } from "./dx-line.js";
import { decodeFrame } from "./protocol-frame.js";
import { decodeShowLine } from "./show-line.js";

/** Options for one line. */
export interface DecodeSpotOptions {
  /** When the line was received, for lines without a date; default: now. */
  readonly now?: Date | null | undefined;
}

/** Options for a stream of lines. */
export interface DecodeSpotsOptions {
  /** Returns the time at which a line is received; default: the system clock. */
  readonly clock?: () => Date;
}

/**
 * Decodes a line of a DX cluster: a spot, a report of solar activity, an announcement, a message, or an unknown line.
 *
 * Supported are `DX de` lines of the common node programs and of skimmers (`W3LPL-#`), CC11 lines, results of `show/dx`,
 * PC11, PC26 and PC61 frames, WWV and WCY lines and their frames PC23, PC27 and PC73, announcements (`To ALL de`, PC12, PC93)
 * and messages to one user (`DH1TW de W1AW:`, PC10, PC93). A `DX de` line has no date: the moment nearest to `now` is assumed,
 * at most 12 hours away. A line without a time is not a spot.
 *
 * @param line One line, with or without its line end. Damaged lines, lines of more than 1000 characters and any other
 *   content are `"unknown"`. Control characters, which could control a terminal, are replaced by blanks.
 * @throws {ArgumentTypeError} The line is not a string.
 * @throws {ValueError} `now` is not a valid date.
 * @example
 * const now = new Date("2024-03-01T12:01:00Z");
 * const spot = decodeSpot("DX de W3LPL-#:   14025.0  DL1ABC         CW    20 dB  25 WPM  CQ      1200Z", { now });
 * spot.kind === "spot" && [spot.spotter, spot.skimmer, spot.frequency, spot.dx]; // => ["W3LPL", true, 14025, "DL1ABC"]
 * spot.kind === "spot" && [spot.mode, spot.snr, spot.wpm]; // => ["CW", 20, 25]
 * spot.kind === "spot" && spot.time.toISOString(); // => "2024-03-01T12:00:00.000Z"
 */
export function decodeSpot(line: string, options?: DecodeSpotOptions): ClusterLine {
  if (typeof line !== "string") {
    throw new ArgumentTypeError({ argument: "line", value: line, expected: "a string" });
  }
  const now = momentOf(options?.now, "now");
  if (line.length > MAX_LINE_LENGTH) return { kind: "unknown", line };
  return decodeText(printable(line), line, now) ?? { kind: "unknown", line };
}

/**
 * Decodes a stream of lines in their order: one result per line, unknown ones included.
 *
 * @param lines An iterable such as Node's `readline` interface, or an array. Reading stops when the consumer stops.
 * @throws {ArgumentTypeError} `lines` is a string, or contains something else than strings.
 * @throws {ValueError} The clock returns an invalid date.
 * @example
 * const kinds: string[] = [];
 * for await (const { kind } of decodeSpots(["login:", "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms"])) {
 *   kinds.push(kind);
 * }
 * kinds; // => ["unknown", "wwv"]
 */
export async function* decodeSpots(
  lines: AsyncIterable<string> | Iterable<string>,
  { clock = () => new Date() }: DecodeSpotsOptions = {},
): AsyncGenerator<ClusterLine, void, undefined> {
  // A string is an iterable of its characters.
  if (typeof lines === "string") {
    throw new ArgumentTypeError({ argument: "lines", value: lines, expected: "an iterable of lines" });
  }
  for await (const line of lines) yield decodeSpot(line, { now: clock() });
}

/** Cluster lines have about 80 characters, frames up to 250. */
const MAX_LINE_LENGTH = 1000;

/** Control characters, bidirectional formatting characters and line separators. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function printable(line: string): string {
  const text = CONTROL.test(line) ? line.replaceAll(new RegExp(CONTROL, "g"), " ") : line;
  return text.trim();
}

function decodeText(text: string, line: string, now: number): ClusterLine | undefined {
  return decodeByStart(text, line, now) ?? decodeShowLine(text, line) ?? decodeTalk(text, line);
}

/** A line of a kind that begins with a word of its own. */
function decodeByStart(text: string, line: string, now: number): ClusterLine | undefined {
  switch (text[0]) {
    case "D":
    case "d":
      return decodeDxLine(text, line, now);
    case "C":
      return text.startsWith("CC11^") ? decodeCc11Line(text, line) : undefined;
    case "P":
      return decodeFrame(text, line);
    case "W":
    case "w":
      return (
        decodeWwvLine(text, line, now) ?? decodeWcyLine(text, line, now) ?? decodeAnnouncement(text, line)
      );
    case "T":
    case "t":
      return decodeAnnouncement(text, line);
    default:
      return undefined;
  }
}
