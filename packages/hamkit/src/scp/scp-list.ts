/** Lists of callsigns that were heard in contests: the files MASTER.SCP ("super check partial") and the like. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import { indexCalls, type CallIndex } from "./call-index.js";

/** The searches' own view of a list. */
export const INDEX = Symbol("index");

/** A list of callsigns, ready to be searched. Made by {@link createScpList} alone. */
export interface ScpList {
  /** Every call once, in upper case and in the order of its characters (`/`, digits, letters). */
  readonly calls: readonly string[];
  /** Date of the list, as `YYYY-MM-DD`, from its entry `VERyyyymmdd`; `undefined` where there is none. */
  readonly date: string | undefined;
  /** What the lines say that begin with `#`. */
  readonly header: readonly string[];
  /** How many lines are neither callsign nor header nor blank. */
  readonly skipped: number;
  /** @internal */
  readonly [INDEX]: CallIndex;
}

/**
 * The list in a text with a callsign on each line.
 *
 * Lines that begin with `#` are a header. Blank lines and blanks around calls don't matter, nor do lower case, double
 * entries and the kind of line ends. The entry `VERyyyymmdd`, by which contest programs show the age of a list, is
 * kept among the calls.
 *
 * @param text The content of MASTER.SCP; 85,000 calls take about 70 ms.
 * @throws {ValueError} More lines are something else than are callsigns, as in a web page.
 * @throws {ArgumentTypeError} The text is no string.
 * @example
 * const list = createScpList("# Release 2023.05.02\nDL1ABC\ndl1abd\n\nVER20230502\n");
 * list.calls; // => ["DL1ABC", "DL1ABD", "VER20230502"]
 * list.date; // => "2023-05-02"
 */
export function createScpList(text: string): ScpList {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "text", value: text, expected: "a string" });
  }
  const header: string[] = [];
  const entries = new Set<string>();
  let read = 0;
  let skipped = 0;
  for (const line of text.split(LINE_END)) {
    const entry = line.trim();
    if (CALL.test(entry)) {
      entries.add(entry.toUpperCase());
      read++;
    } else if (entry.startsWith("#")) header.push(entry.slice(1).trim());
    else if (entry !== "") skipped++;
  }
  if (skipped > read) {
    throw new ValueError({ argument: "text", value: text, expected: "a list with a callsign on each line" });
  }
  const calls = Object.freeze([...entries].sort());
  return Object.freeze({
    calls,
    date: dateOf(calls),
    header: Object.freeze(header),
    skipped,
    [INDEX]: indexCalls(calls),
  });
}

const LINE_END = /\r\n?|\n/;

/** Letters, digits and slashes, a letter at least. The longest in a real list, such as EA8/DL2DXA/P, have 12 characters. */
const CALL = /^(?=[0-9/]*[A-Z])[A-Z0-9/]{3,20}$/i;

function dateOf(calls: readonly string[]): string | undefined {
  const version = calls.findLast((call) => /^VER[0-9]{8}$/.test(call));
  return version?.replace(/^VER(....)(..)(..)$/, "$1-$2-$3");
}
