/** Text output of `hamkit awards`. */
import type {
  AwardCount,
  AwardCounts,
  AwardRule,
  ClassProgress,
  ConfirmationSource,
  ContradictionList,
} from "../../../awards.js";
import type { Session } from "../../session.js";
import type { Ink } from "../../terminal/terminal.js";
import { layOutTable, printable, type Column } from "../../terminal/text-table.js";
import { wrapped } from "../../terminal/wrapped-text.js";
import { dataText } from "../data-text.js";
import { facetName, INDENT, shownKeys, type AwardsOutcome, type CountedOutcome } from "./awards-facets.js";
import { neededLines } from "./awards-needed.js";

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
