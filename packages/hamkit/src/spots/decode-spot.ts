/** What a line of a DX cluster says, whichever kind of line it is. */
import { ArgumentTypeError } from "../errors.js";
import { momentOf } from "../lookup/identify.js";
import { decodeAnnouncement, decodeWcyLine, decodeWwvLine } from "./bulletin-line.js";
import type { ClusterLine } from "./cluster-line.js";
import { decodeDxLine } from "./dx-line.js";
import { decodeFrame } from "./protocol-frame.js";

/** How to read one line. */
export interface DecodeSpotOptions {
  /** When the line was received, for lines that have the time of day alone; now when left out. */
  readonly now?: Date;
}

/** How to read a stream of lines. */
export interface DecodeSpotsOptions {
  /** Asked for the time of each line's arrival; the computer's clock when left out. */
  readonly clock?: () => Date;
}

/**
 * What a line of a DX cluster says: a spot, a report of solar activity, an announcement, or nothing that is known.
 *
 * Read are `DX de` lines of the common node programs and of skimmers (`W3LPL-#`), PC11 and PC61 frames, WWV and WCY
 * lines and their frames PC23 and PC73, and `To ALL de`. A `DX de` line has no date: its time is taken to be the one
 * nearest to `now`, at most 12 hours away. It has to have a time, as all nodes write one.
 *
 * @param line One line, with or without its end. Any content: what is damaged, has more than 1000 characters or makes
 *   no sense is `"unknown"`. Control characters, which could command a terminal, come out as blanks.
 * @throws {ArgumentTypeError} The line is no string.
 * @throws {ValueError} `now` is no valid date.
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
  if (line.length > LONGEST_LINE) return { kind: "unknown", line };
  return decodeText(plain(line), line, now) ?? { kind: "unknown", line };
}

/**
 * What each line says, in their order, as they come: one answer for every line, unknown ones included.
 *
 * @param lines Such as `readline` of Node gives them, or an array. Reading stops when the loop over the answers ends.
 * @throws {ArgumentTypeError} `lines` is one string, or one of them is no string.
 * @throws {ValueError} The clock doesn't give a valid date.
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
  // A string is an iterable, too: of its characters.
  if (typeof lines === "string") {
    throw new ArgumentTypeError({ argument: "lines", value: lines, expected: "an iterable of lines" });
  }
  for await (const line of lines) yield decodeSpot(line, { now: clock() });
}

/** Cluster lines have about 80 characters, frames up to 250. */
const LONGEST_LINE = 1000;

/** Control characters, and those that turn the direction of writing or end a line. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function plain(line: string): string {
  const printable = CONTROL.test(line) ? line.replaceAll(new RegExp(CONTROL, "g"), " ") : line;
  return printable.trim();
}

function decodeText(text: string, line: string, now: number): ClusterLine | undefined {
  switch (text[0]) {
    case "D":
    case "d":
      return decodeDxLine(text, line, now);
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
