/**
 * The layout in which the service writes log XML, read by one pattern per entry: an XML parser takes several times as long.
 *
 * What stands between call and period is the same text in thousands of entries, and is taken apart once. Whatever is not of
 * this layout, be it XML or none, ends the scan without a result.
 */
import { ALWAYS, type Moment, type Period } from "../lookup/period.js";
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
import { unescapeXml } from "../text/xml-text.js";

/** Dates that are there in every year. The last day of February is left to be read with the facts. */
const DATE = datePattern("02-(?:0[1-9]|1[0-9]|2[0-8])");
const QUOTED = String.raw`(?:'([^'<>&\t\r\n]*)'|"([^"<>&\t\r\n]*)")`;
const ROOT = new RegExp(
  String.raw`^\s*(?:<\?xml version=${QUOTED}(?: encoding=${QUOTED})?\s*\?>\s*)?<clublog date=${QUOTED}(?: xmlns=${QUOTED})?\s*>\s*`,
);
const ROOT_END = /<\/clublog>\s*$/y;
const SECTION = /<([a-z_]+)>\s*/y;

/** The pattern of a section's entries. */
function entryPattern(section: SectionName): RegExp {
  const element = SECTIONS[section];
  const head =
    section === "entities"
      ? "()()>()"
      : String.raw` record=(['"])(\d{1,9})\1>\s*<call>([A-Za-z0-9/-]{1,30})</call>`;
  const facts = String.raw`\s*((?:<[a-z_]+>[^<]*</[a-z_]+>\s*)*?)`;
  const period = String.raw`(?:<start>(${DATE})</start>\s*)?(?:<end>(${DATE})</end>\s*)?`;
  return new RegExp(String.raw`<${element}${head}${facts}${period}</${element}>\s*`, "y");
}

const FACT = new RegExp(
  String.raw`\s*<(${FACT_NAMES.join("|")})>([^<>&]*(?:&(?:amp|lt|gt|quot|apos);[^<>&]*)*)</\1>\s*`,
  "y",
);

/**
 * Hands over the entries of a text of this layout.
 *
 * @returns Whether the text is of this layout. If not, what has been handed over so far is of no use.
 */
export function scanLogXml(text: string, sink: LogXmlSink): boolean {
  const root = ROOT.exec(text);
  if (root === null) return false;
  sink.date(root[5] ?? root[6] ?? "");
  const readFacts = createFactsReader();
  let position = root[0].length;
  while (!matchesAt(ROOT_END, text, position)) {
    SECTION.lastIndex = position;
    const name = SECTION.exec(text)?.[1];
    if (name === undefined) return false;
    position = SECTION.lastIndex;
    if (isSection(name)) position = scanEntries(text, position, { section: name, sink, readFacts });
    const end = `</${name}>`;
    // Of a section that isn't known just the end is looked for.
    if (isSection(name) ? !text.startsWith(end, position) : text.indexOf(end, position) < 0) return false;
    position = behindBlanks(text, text.indexOf(end, position) + end.length);
  }
  return true;
}

interface Scan {
  readonly section: SectionName;
  readonly sink: LogXmlSink;
  /** The facts in a text, the same object for the same text; `undefined` for anything else. */
  readonly readFacts: (text: string) => Facts | undefined;
}

/** Where the entries of this layout end that begin here. */
function scanEntries(text: string, start: number, { section, sink, readFacts }: Scan): number {
  const pattern = entryPattern(section);
  pattern.lastIndex = start;
  let position = start;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    // By index: taking the match apart by a pattern would cost more than finding it.
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

/** The groups of an entry's pattern. */
const GROUP = { id: 2, call: 3, facts: 4, start: 5, end: 6 } as const;

/**
 * The period that matched dates tell, or the facts where it is not the last thing in an entry; `undefined` where those are no
 * dates.
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

/** The moment that a text tells; `NaN` where it is none. */
function momentIn(text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined;
  return isDate(text) ? Date.parse(text) : Number.NaN;
}

function createFactsReader(): Scan["readFacts"] {
  const known = new Map<string, Facts>();
  let lastText: string | undefined;
  let last: Facts | undefined;
  return (text) => {
    // Mostly those of the entry before: comparing is cheaper than looking for them.
    if (text === lastText) return last;
    last = known.get(text) ?? parseFacts(text);
    lastText = text;
    if (last !== undefined) known.set(text, last);
    return last;
  };
}

/** Where an element is there twice the last one counts. */
function parseFacts(text: string): Facts | undefined {
  const facts: { -readonly [Name in keyof Facts]: Facts[Name] } = {};
  let position = 0;
  FACT.lastIndex = 0;
  for (let match = FACT.exec(text); match !== null; match = FACT.exec(text)) {
    facts[match[1] as FactName] = unescapeXml(match[2] ?? "");
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
  while (/\s/.test(text.charAt(position))) position++;
  return position;
}
