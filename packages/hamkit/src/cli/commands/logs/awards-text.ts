/** Text output of `hamkit awards`. */
import type {
  AwardCount,
  AwardCounts,
  AwardRule,
  ClassProgress,
  ConfirmationSource,
  ContradictionList,
  AwardUnit,
  AwardCounter,
} from "../../../awards.js";
import type { Session } from "../../session.js";
import { type Ink, toPrintable } from "../../terminal/terminal.js";
import { layOutTable, printable, type Column, dataText, wrapped } from "../../terminal/text-table.js";
import type { TableSource } from "../../../lookup.js";

export function awardLines(outcome: AwardsOutcome, session: Session): string[] {
  const { input, counter, rules, options, table } = outcome;
  const { ink } = session;
  const counts = counter.counts();
  const ignored = counter.ignored > 0 ? `, ${counter.ignored} of other stations left out` : "";
  const isWorked = (rule: AwardRule) => keysOf(rule, counts).some((key) => (counts[key]?.worked ?? 0) > 0);
  const shown = rules.filter((rule) => options.award !== undefined || isWorked(rule));
  const others = rules.filter((rule) => !shown.includes(rule)).map(({ name }) => name);
  return [
    `${ink("bold", printable(input, 200))}: ${counter.contacts} contacts${ignored}`,
    "",
    ...tableLines(shown, { ...outcome, counts }, session),
    ...(others.length > 0 ? ["", ...wrapped("No contacts for", others.join(", "), session)] : []),
    ...(options.needed === true ? neededLines(shown, { ...outcome, counts }, session) : []),
    ...contradictionLines(outcome, session),
    ...checkLines(shown, outcome, session),
    "",
    ink("dim", dataText(table)),
  ];
}

/** The keys of a rule's counts. */
function keysOf({ id }: AwardRule, counts: AwardCounts): readonly string[] {
  return Object.keys(counts).filter((key) => key === id || key.startsWith(`${id}.`));
}

interface Row {
  readonly name: string;
  readonly worked?: number;
  readonly confirmed?: number;
  readonly next?: number | undefined;
  readonly count?: AwardCount;
}

const SOURCE_COLUMNS: readonly (Column<Row> & { readonly sources: readonly ConfirmationSource[] })[] = [
  sourceColumn("Card", ["card"]),
  sourceColumn("LoTW", ["lotw"]),
  sourceColumn("eQSL", ["eqsl", "eqslAg"]),
  sourceColumn("Club Log", ["clublog"], 1),
  sourceColumn("QRZ", ["qrz"], 2),
  sourceColumn("DCL", ["dcl"], 3),
];

function sourceColumn(title: string, sources: readonly ConfirmationSource[], dispensable = 4) {
  return {
    title,
    sources,
    cell: ({ count }: Row) => sourceText(sources, count),
    align: "right" as const,
    dispensable,
  };
}

function tableLines(rules: readonly AwardRule[], outcome: CountedOutcome, { ink, io }: Session): string[] {
  const rows: Row[] = [];
  // Lines of other form than the table's, by the number of rows before them.
  const notes = new Map<number, readonly string[]>();
  for (const rule of rules) {
    if (rows.length > 0) rows.push({ name: "" });
    rows.push({ name: `${rule.name} (${rule.sponsor})` }, ...awardRows(rule, outcome));
    notes.set(rows.length, classLines(rule, outcome, ink));
  }
  if (rows.length === 0) return ["no award"];
  const columns: Column<Row>[] = [
    { title: "Award", cell: ({ name }) => name },
    { title: "Worked", cell: ({ worked }) => numberText(worked), align: "right" },
    { title: "Confirmed", cell: ({ confirmed }) => numberText(confirmed), align: "right" },
    { title: "Next", cell: ({ next }) => numberText(next), align: "right" },
    ...SOURCE_COLUMNS.filter(({ sources }) => rows.some(({ count }) => sourceText(sources, count) !== "")),
  ];
  const { lines } = layOutTable(
    rows.map((row) => ({ row })),
    columns,
    { ink, width: io.stdout.columns },
  );
  const styled = lines.flatMap((line, index) => [
    isHeading(rows[index - 1]) ? ink("bold", line) : line,
    ...(notes.get(index) ?? []),
  ]);
  const isParenthesized = lines.some((line) => /\(\d+\)$|\(\d+\)  /.test(line));
  return [...styled, ...(isParenthesized ? ["", ink("dim", "(1) does not count for this award")] : [])];
}

function isHeading(row: Row | undefined): boolean {
  return row?.worked === undefined && row?.name !== "";
}

function numberText(number: number | undefined): string {
  return number === undefined ? "" : String(number);
}

/** Parenthesized if none of the sources counts. */
function sourceText(sources: readonly ConfirmationSource[], count: AwardCount | undefined): string {
  if (count === undefined || count.accepted.length === 0) return "";
  const accepted = sources.filter((source) => count.accepted.includes(source));
  const [source] = accepted.length > 0 ? accepted : sources;
  const number = source === undefined ? 0 : (count.bySource[source] ?? 0);
  if (number === 0) return "";
  return accepted.length > 0 ? String(number) : `(${number})`;
}

function awardRows(rule: AwardRule, { counts, options }: CountedOutcome): readonly Row[] {
  return shownKeys(rule, counts, options).flatMap((key) => {
    const count = counts[key];
    return count === undefined ? [] : countRows(rule, key, count);
  });
}

/** Classes that are reached, or all of an award that was asked for. */
function classLines(rule: AwardRule, { counter, options }: CountedOutcome, ink: Ink): string[] {
  const classes = counter
    .classes()
    .filter(({ award, isReached }) => award === rule.id && (isReached || options.award !== undefined));
  const width = classes.reduce((max, { name }) => Math.max(max, name.length), 0);
  return classes.map((each) => {
    const progress = each.isReached ? ink("green", "reached") : progressText(rule, each);
    return `${INDENT}${printable(each.name.padEnd(width))}${INDENT}${progress}`;
  });
}

function countRows(rule: AwardRule, key: string, count: AwardCount): Row[] {
  const { worked, confirmed, nextLevel: next } = count;
  const name = INDENT + facetName(rule, key);
  if (rule.counting === undefined || rule.counting === "units")
    return [{ name, worked, confirmed, next, count }];
  if (rule.counting === "contacts") {
    const contacts = count.qsos ?? count.scoringQsos ?? 0;
    return [
      { name, worked, next },
      { name: `${INDENT}contacts`, worked: contacts },
    ];
  }
  const valid = count.validActivations ?? count.scoring ?? [];
  const both = count.parkToPark ?? count.summitToSummit ?? 0;
  const label = rule.unit === "pota" ? "park to park" : "summit to summit";
  return [
    { name, worked },
    { name: `${INDENT}activations that count`, worked: valid.length, next },
    ...(both > 0 ? [{ name: INDENT + label, worked: both }] : []),
  ];
}

/** "mixed 40 of 50, points 100 of 150", and with equal needs "80m 2, 40m 0 of 100 each". */
function progressText(rule: AwardRule, { needs, oneOf }: ClassProgress): string {
  const all = Object.entries(needs);
  const [, { needed: first } = { needed: 0 }] = all[0] ?? [];
  const isEach = all.length > 1 && all.every(([, { needed }]) => needed === first);
  const text = all
    .map(
      ([key, { confirmed, needed }]) =>
        `${facetName(rule, key)} ${confirmed}${isEach ? "" : ` of ${needed}`}`,
    )
    .join(", ");
  const [best] = Object.entries(oneOf).toSorted(([, a], [, b]) => b.confirmed - a.confirmed);
  const other =
    best === undefined
      ? ""
      : `, one more: ${facetName(rule, best[0])} ${best[1].confirmed} of ${best[1].needed}`;
  return `${text}${isEach ? ` of ${first} each` : ""}${other}`;
}

function contradictionLines({ counter, options }: AwardsOutcome, session: Session): string[] {
  const lists = counter.contradictions();
  if (lists.length === 0) return [];
  const all = options.contradictions ?? false;
  const total = lists.reduce((sum, { count }) => sum + count, 0);
  const hint = all ? "" : "; --contradictions lists more";
  return [
    "",
    `${session.ink("bold", `Contradictions (${total})`)}${session.ink("dim", hint)}`,
    ...lists.flatMap((list) => contradictionBlock(list, all, session)),
  ];
}

function contradictionBlock(
  { rule, count, examples }: ContradictionList,
  all: boolean,
  session: Session,
): string[] {
  const shown = all ? examples : examples.slice(0, 1);
  const lines = shown.flatMap(({ record, call, message }) =>
    wrapped(`${INDENT}${INDENT}record ${record + 1}`, printable(`${call}: ${message}`, 200), session),
  );
  return [`${INDENT}${rule} (${count})`, ...lines];
}

function checkLines(rules: readonly AwardRule[], { options }: AwardsOutcome, session: Session): string[] {
  if (options.award === undefined)
    return [
      "",
      ...wrapped(
        "",
        "Check the sponsors' rules: --award NAME says what of an award's rules was not compared.",
        session,
      ),
    ];
  return rules.flatMap(({ name, checked: { against = "nothing", open }, notes = [] }) => [
    "",
    session.ink("bold", `Rules of ${name}`),
    ...notes.flatMap((note) => wrapped(`${INDENT}-`, note, session)),
    ...wrapped(`${INDENT}compared with:`, against, session),
    ...wrapped(`${INDENT}not checked with the sponsor:`, open.join("; "), session),
  ]);
}

/** Longer lists are only counted: the challenge needs 3,400 slots. */
const MAX_LISTED = 500;

function neededLines(rules: readonly AwardRule[], outcome: CountedOutcome, session: Session): string[] {
  const { counts, options } = outcome;
  return rules
    .filter(({ confirm, units }) => confirm.length > 0 || units !== undefined)
    .flatMap((rule) => {
      if (options.on === undefined)
        return shownKeys(rule, counts, options).flatMap((key) =>
          neededBlock({ rule, key }, outcome, session),
        );
      const [key] = keysOf(rule, counts);
      return options.on.flatMap((band) =>
        key === undefined ? [] : neededBlock({ rule, key, band }, outcome, session),
      );
    });
}

/** A count, and the band that it is narrowed to. */
interface NeededCount {
  readonly rule: AwardRule;
  readonly key: string;
  readonly band?: string;
}

function neededBlock({ rule, key, band }: NeededCount, outcome: CountedOutcome, session: Session): string[] {
  const { counter, table } = outcome;
  const { unworked, unconfirmed } = counter.needed(key, band === undefined ? {} : { band });
  const hasSlots = rule.facets.some(
    (facet) => facet.slots !== undefined && countKey(rule, facet.key) === key,
  );
  const list = (title: string, units: readonly AwardUnit[]): string[] => {
    const label = `${INDENT}${title}`;
    if (units.length === 0) return [`${label}: none`];
    if (units.length > MAX_LISTED) return [`${label}: ${units.length}; --json lists them`];
    const groups = hasSlots ? slotGroups(units) : undefined;
    if (groups === undefined)
      return wrapped(`${label} (${units.length}):`, unitNames(rule, units, table), session);
    const lines = groups.flatMap(([slot, slotUnits]) =>
      wrapped(`${INDENT}${INDENT}${slot}:`, unitNames(rule, slotUnits, table), session),
    );
    return [`${label} (${units.length}):`, ...lines];
  };
  const counted = band === undefined ? facetName(rule, key) : band;
  const heading = session.ink("bold", `${rule.name}: ${counted}`);
  // Deleted entities can't be worked any more: what is missing is the same as without them.
  const isWithDeleted = rule.facets.some(
    (facet) => facet.deleted === true && countKey(rule, facet.key) === key,
  );
  const missing = unworked === undefined || isWithDeleted ? [] : list("not worked", unworked);
  return ["", heading, ...missing, ...list("not confirmed", unconfirmed)];
}

/** Slots such as `291 20m` by band or mode. */
function slotGroups(units: readonly AwardUnit[]): readonly [string, readonly string[]][] {
  const groups = new Map<string, string[]>();
  for (const each of units) {
    const [unit = "", slot = ""] = String(each).split(" ");
    const group = groups.get(slot);
    if (group === undefined) groups.set(slot, [unit]);
    else group.push(unit);
  }
  return Array.from(groups);
}

function unitNames(rule: AwardRule, units: readonly AwardUnit[], table: TableSource): string {
  const names = units.map((unit) => unitName(rule, unit, table));
  return (hasPrefixes(rule) ? names.toSorted() : names).join(" ");
}

function hasPrefixes({ unit }: AwardRule): boolean {
  return unit === "entity" || unit === "wae";
}

/** Entities by their main prefix, which is how operators call them. */
function unitName(rule: AwardRule, value: AwardUnit, table: TableSource): string {
  if (!hasPrefixes(rule)) return toPrintable(String(value));
  const code = String(value);
  return toPrintable(
    /^\d+$/.test(code) ? (table.entity(Number(code))?.prefix ?? code) : (REGION_PREFIXES[code] ?? code),
  );
}

const REGION_PREFIXES: Readonly<Record<string, string>> = {
  BI: "JW/b",
  ET: "TA1",
  IV: "4U1V",
  SI: "GM/s",
  SY: "IT9",
};

interface AwardsOutcome {
  readonly input: string;
  readonly counter: AwardCounter;
  readonly rules: readonly AwardRule[];
  readonly table: TableSource;
  readonly options: {
    readonly award?: readonly string[];
    readonly needed?: boolean;
    readonly on?: readonly string[];
    readonly band?: boolean;
    readonly mode?: boolean;
    readonly contradictions?: boolean;
  };
}

interface CountedOutcome extends AwardsOutcome {
  readonly counts: AwardCounts;
}

const INDENT = "  ";

/** By band and by mode only on request; VUCC is by band. The first count always, others if they have contacts. */
function shownKeys(
  rule: AwardRule,
  counts: AwardCounts,
  { band = false, mode = false }: AwardsOutcome["options"],
): readonly string[] {
  const groups = rule.facets.map(({ key, eachBand, modes, slots, continents }) => {
    const isHidden =
      (eachBand !== undefined && key !== "" && !band) ||
      (modes !== undefined && slots === undefined && !mode) ||
      continents !== undefined;
    const base = countKey(rule, key);
    const keys = eachBand === undefined ? [base] : eachBand.map((each) => `${base}.${each}`);
    return isHidden ? [] : keys;
  });
  const [first, ...others] = groups.flat();
  const worked = others.filter((key) => (counts[key]?.worked ?? 0) > 0);
  const isFirstShown = first !== undefined && (worked.length === 0 || rule.facets[0]?.eachBand === undefined);
  return isFirstShown || (first !== undefined && (counts[first]?.worked ?? 0) > 0)
    ? [first, ...worked]
    : worked;
}

function countKey({ id }: AwardRule, facet: string): string {
  return facet === "" ? id : `${id}.${facet}`;
}

/** The words of a key behind the award: `mixed.withDeleted` is "mixed, with deleted". */
function facetName(rule: AwardRule, key: string): string {
  const facet = key.slice(rule.id.length + 1);
  // What has a count with deleted entities beside it is the usual one without them.
  const isUsual = rule.facets.some((each) => each.key === facet.replace(".current", ".withDeleted"));
  const words = (isUsual ? facet.replace(".current", "") : facet)
    .split(".")
    .filter((word) => word !== "band" && word !== "");
  const text = words.map((word) => word.replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, " ")).join(", ");
  return text === ""
    ? unitsName(rule)
    : /^[a-z]/.test(text)
      ? text.toLowerCase().replace("5band", "5 bands")
      : text;
}

const UNIT_NAMES: Readonly<Partial<Record<AwardRule["unit"], string>>> = {
  grid: "grids",
  iota: "groups",
  county: "counties",
  pota: "parks",
  sota: "summits",
  wwff: "references",
  wae: "countries",
  ituz: "zones",
};

function unitsName({ unit }: AwardRule): string {
  return UNIT_NAMES[unit] ?? "units";
}
