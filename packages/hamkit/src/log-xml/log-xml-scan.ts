/**
 * Reads log XML in the layout of the service with one pattern per entry, several times faster than an XML parser.
 *
 * The text between call and period is the same in thousands of entries and is parsed once. A text of another layout, XML or
 * not, ends the scan without a result.
 */
import { ALWAYS, type Moment, type Period } from "../lookup/source.js";
import {
  datePattern,
  FACT_NAMES,
  isDate,
  SECTIONS,
  type FactName,
  type Facts,
  type LogXmlSink,
  type SectionName,
} from "./log-xml-entry.js";
import { isUnusualXml, unescapeXml } from "../text/xml-text.js";

/** Dates of every year; 29 February is read with the facts, which are validated. */
const DATE = datePattern("02-(?:0[1-9]|1[0-9]|2[0-8])");
// In XML, `\s` would stand for more than blanks.
const ROOT =
  /^[ \t\r\n]*(?:<\?xml version=(['"])1\.0\1(?: encoding=(['"])[Uu][Tt][Ff]-8\2)?[ \t\r\n]*\?>[ \t\r\n]*)?<clublog date=(?:'([^'<>&\t\r\n]*)'|"([^"<>&\t\r\n]*)")(?: xmlns=(['"])https?:\/\/(?:www\.)?clublog\.org\/[\w./-]*\5)?[ \t\r\n]*>[ \t\r\n]*/;
const ROOT_END = /<\/clublog>[ \t\r\n]*$/y;
const SECTION = /<([a-z_]+)>[ \t\r\n]*/y;

/** The pattern of a section's entries. */
function entryPattern(section: SectionName): RegExp {
  const element = SECTIONS[section];
  const blanks = String.raw`[ \t\r\n]*`;
  const head =
    section === "entities"
      ? "()()>()"
      : String.raw` record=(['"])(\d{1,9})\1>${blanks}<call>([A-Za-z0-9/-]{1,30})</call>`;
  const facts = `${blanks}((?:<[a-z_]+>[^<]*</[a-z_]+>${blanks})*?)`;
  const period = `(?:<start>(${DATE})</start>${blanks})?(?:<end>(${DATE})</end>${blanks})?`;
  return new RegExp(`<${element}${head}${facts}${period}</${element}>${blanks}`, "y");
}

const FACT = new RegExp(
  String.raw`[ \t\r\n]*<(${FACT_NAMES.join("|")})>([^<>&\r]*(?:&(?:amp|lt|gt|quot|apos);[^<>&\r]*)*)</\1>[ \t\r\n]*`,
  "y",
);

/**
 * Passes the entries of a text of this layout to a sink.
 *
 * @returns Whether the text has this layout. If not, the entries passed so far are incomplete.
 */
export function scanLogXml(text: string, sink: LogXmlSink): boolean {
  const root = ROOT.exec(text);
  if (root === null || isUnusualXml(root[0])) return false;
  sink.date(root[3] ?? root[4] ?? "");
  const readFacts = createFactsReader();
  let position = root[0].length;
  while (!matchesAt(ROOT_END, text, position)) {
    SECTION.lastIndex = position;
    const name = SECTION.exec(text)?.[1];
    if (name === undefined || !isSection(name)) return false;
    position = scanEntries(text, SECTION.lastIndex, { section: name, sink, readFacts });
    const end = `</${name}>`;
    if (!text.startsWith(end, position)) return false;
    position = behindBlanks(text, position + end.length);
  }
  return true;
}

interface Scan {
  readonly section: SectionName;
  readonly sink: LogXmlSink;
  /** The facts of a text, the same object for the same text; `undefined` for an invalid one. */
  readonly readFacts: (text: string) => Facts | undefined;
}

/** Passes the entries of a section and returns the end of the last one with this layout. */
function scanEntries(text: string, start: number, { section, sink, readFacts }: Scan): number {
  const pattern = entryPattern(section);
  pattern.lastIndex = start;
  let position = start;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    // By index: destructuring the match would take longer than finding it.
    const facts = readFacts(match[GROUP.facts] ?? "");
    if (facts === undefined) return position;
    const period = periodOf(match[GROUP.start], match[GROUP.end], facts);
    if (period === undefined) return position;
    const id = section === "entities" ? undefined : Number(match[GROUP.id]);
    sink.entry({ section, id, call: (match[GROUP.call] ?? "").toUpperCase(), period, facts });
    position = pattern.lastIndex;
  }
  return position;
}

/** The groups of `entryPattern`. */
const GROUP = { id: 2, call: 3, facts: 4, start: 5, end: 6 } as const;

/**
 * The period of the matched dates, or of the facts where the dates are not last in an entry; `undefined` for invalid dates.
 */
function periodOf(
  startText: string | undefined,
  endText: string | undefined,
  facts: Facts,
): Period | undefined {
  const start = startText === undefined ? momentIn(facts.start) : Date.parse(startText);
  const end = endText === undefined ? momentIn(facts.end) : Date.parse(endText);
  if (start === undefined && end === undefined) return ALWAYS;
  return Number.isNaN(start) || Number.isNaN(end) ? undefined : { start, end };
}

/** The moment of a date; `NaN` for an invalid one. */
function momentIn(text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined;
  return isDate(text) ? Date.parse(text) : Number.NaN;
}

function createFactsReader(): Scan["readFacts"] {
  const known = new Map<string, Facts>();
  let lastText: string | undefined;
  let last: Facts | undefined;
  return (text) => {
    // Usually the text of the entry before: comparing is cheaper than a map.
    if (text === lastText) return last;
    last = known.get(text) ?? parseFacts(text);
    lastText = text;
    if (last !== undefined) known.set(text, last);
    return last;
  };
}

/** Of an element that occurs twice the last one counts. */
function parseFacts(text: string): Facts | undefined {
  if (isUnusualXml(text)) return undefined;
  const facts: { -readonly [Name in keyof Facts]: Facts[Name] } = {};
  let position = 0;
  FACT.lastIndex = 0;
  for (let match = FACT.exec(text); match !== null; match = FACT.exec(text)) {
    facts[match[1] as FactName] = unescapeXml(match[2] ?? "") ?? "";
    position = FACT.lastIndex;
  }
  return position === text.length ? facts : undefined;
}

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

function behindBlanks(text: string, start: number): number {
  let position = start;
  while (" \t\r\n".includes(text.charAt(position)) && position < text.length) position++;
  return position;
}
