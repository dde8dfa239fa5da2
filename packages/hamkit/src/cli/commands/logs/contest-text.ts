/** Text output of `hamkit contest`. */
import type {
  ContestLogFinding,
  ContestLogScore,
  ContestRule,
  FoundMultiplier,
  RateSheet,
  ScoredContact,
  ScoreSums,
} from "../../../contest.js";
import type { TableSource } from "../../../lookup.js";
import type { Session } from "../../session.js";
import { dataText, layOutTable, printable, wrapped, type Column } from "../../terminal/text-table.js";

interface ScoreOutcome {
  readonly input: string;
  readonly scored: ContestLogScore;
  readonly table: TableSource | undefined;
  readonly qsos: boolean;
}

export function scoreLines({ input, scored, table, qsos }: ScoreOutcome, session: Session): string[] {
  const { rule, call, score, total, claimed, contacts, ignored, others } = scored;
  const { ink } = session;
  const faulty = contacts.filter(({ faults }) => faults.length > 0);
  const left = [
    ...(score.dupes > 0 ? [score.dupes === 1 ? "1 dupe" : `${score.dupes} dupes`] : []),
    ...(score.excluded > 0 ? [`${score.excluded} on other bands or in other modes`] : []),
    ...(ignored > 0 ? [`${ignored} X-QSO`] : []),
    ...(others > 0 ? [`${others} of other contests or years`] : []),
  ];
  return [
    `${ink("bold", printable(input, 200))}: ${rule.name}, ${printable(call)}`,
    "",
    ...sumLines(scored, session),
    "",
    `Total: ${total}${totalText(scored)}${claimedText(total, claimed)}`,
    ...(left.length > 0 ? [`Not counted: ${left.join(", ")}`] : []),
    ...(faulty.length > 0 ? ["", ...faultLines(faulty)] : []),
    ...(qsos ? ["", ...contactLines(contacts, session)] : []),
    "",
    ...wrapped("Not checked with the sponsor:", rule.checked.open.join("; "), session),
    ...(table === undefined ? [] : [ink("dim", dataText(table))]),
  ];
}

function totalText({ rule, score }: ContestLogScore): string {
  if (rule.multipliers.length === 0) return "";
  const qtcs = score.qtcs > 0 ? ` + ${score.qtcPoints} of QTCs` : "";
  const sign = rule.total === "sum" ? "+" : "×";
  const points = qtcs === "" ? String(score.points) : `(${score.points}${qtcs})`;
  return ` = ${points} ${sign} ${score.multiplierCount}`;
}

function claimedText(total: number, claimed: number | undefined): string {
  if (claimed === undefined || claimed === total) return "";
  return `; the log claims ${claimed}`;
}

type SumRow = ScoreSums & { readonly band: string };

function sumLines({ rule, score }: ContestLogScore, { ink, io }: Session): readonly string[] {
  const properties = Array.from(new Set(rule.multipliers.map(({ property }) => property)));
  const columns: Column<SumRow>[] = [
    { title: "Band", cell: ({ band }) => band },
    { title: "QSOs", cell: ({ qsos }) => String(qsos), align: "right" },
    { title: "Dupes", cell: ({ dupes }) => String(dupes), align: "right" },
    { title: "Points", cell: ({ points }) => String(points), align: "right" },
    ...properties.map((property): Column<SumRow> => ({
      title: property,
      cell: ({ multipliers }) => String(multipliers[property] ?? 0),
      align: "right",
    })),
  ];
  const rows = [...score.bands, { ...score, band: "all" }].map((row) => ({ row }));
  return layOutTable(rows, columns, { ink, width: io.stdout.columns }).lines;
}

/** Faults that are listed; `hamkit contest check` has all. */
const MAX_FAULTS = 10;

function faultLines(faulty: readonly ScoredContact[]): string[] {
  const lines = faulty
    .slice(0, MAX_FAULTS)
    .map(({ line, call, faults }) =>
      printable(`line ${line}: ${call}: ${faults.map(({ message }) => message).join(", ")}`, 160),
    );
  const more = faulty.length - lines.length;
  return more > 0 ? [...lines, `${more} more; see hamkit contest check`] : lines;
}

function contactLines(contacts: readonly ScoredContact[], { ink, io }: Session): readonly string[] {
  const columns: Column<ScoredContact>[] = [
    { title: "Line", cell: ({ line }) => String(line), align: "right" },
    { title: "Call", cell: ({ call }) => call },
    { title: "Band", cell: ({ band }) => band },
    { title: "Mode", cell: ({ mode }) => mode },
    { title: "Points", cell: ({ points }) => String(points), align: "right" },
    { title: "New", cell: newText },
  ];
  return layOutTable(
    contacts.map((row) => ({ row })),
    columns,
    { ink, width: io.stdout.columns },
  ).lines;
}

function newText({ isDupe, excluded, multipliers }: ScoredContact): string {
  if (isDupe) return "dupe";
  if (excluded !== undefined) return `other ${excluded}`;
  return multipliers.map(({ property, value }: FoundMultiplier) => `${property} ${value}`).join(", ");
}

interface CheckOutcome {
  readonly input: string;
  readonly findings: readonly ContestLogFinding[];
  readonly rule: ContestRule | undefined;
}

export function checkLines({ input, findings, rule }: CheckOutcome, { ink }: Session): string[] {
  const errors = findings.filter(({ level }) => level === "error").length;
  const by = rule === undefined ? "without rules of its contest" : `by the rules of ${rule.id}`;
  return [
    `${ink("bold", printable(input, 200))}: ${errors} errors, ${findings.length - errors} warnings, checked ${by}`,
    ...findings.map(
      ({ line, level, rule: name, message }) =>
        `${line === 0 ? "log" : `line ${line}`}: ${ink(level === "error" ? "red" : "yellow", level)} ${name}: ${printable(message, 200)}`,
    ),
  ];
}

interface RateOutcome {
  readonly input: string;
  readonly sheet: RateSheet;
  readonly rule: ContestRule;
}

export function rateLines({ input, sheet, rule }: RateOutcome, { ink, io }: Session): string[] {
  const { hours, best, breaks, operatingMinutes } = sheet;
  const bands = rule.bands.filter((band) => hours.some(({ byBand }) => byBand[band] !== undefined));
  const columns: Column<RateSheet["hours"][number]>[] = [
    { title: "UTC", cell: ({ hour }) => hour },
    ...bands.map((band): Column<RateSheet["hours"][number]> => ({
      title: band,
      cell: ({ byBand }) => String(byBand[band] ?? ""),
      align: "right",
    })),
    { title: "QSOs", cell: ({ qsos }) => String(qsos), align: "right" },
    { title: "Total", cell: ({ total }) => String(total), align: "right" },
  ];
  const { lines } = layOutTable(
    hours.map((row) => ({ row })),
    columns,
    { ink, width: io.stdout.columns },
  );
  return [
    `${ink("bold", printable(input, 200))}: ${rule.name}`,
    "",
    ...lines,
    "",
    ...best.map(
      ({ minutes, qsos, perHour, from }) =>
        `Best ${minutes} minutes: ${qsos} (${Math.round(perHour)} per hour) from ${from}`,
    ),
    `Operating time: ${durationText(operatingMinutes)}`,
    ...breaks.map(({ from, to, minutes }) => `Break of ${durationText(minutes)}: ${from} to ${to}`),
  ];
}

/** `9 h 05 min`. */
function durationText(minutes: number): string {
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export function ruleLines(rules: readonly ContestRule[], session: Session): string[] {
  return rules.flatMap((rule) => [
    `${session.ink("bold", rule.id)}: ${rule.name} (${rule.sponsor}): ${rule.contests.join(", ")}`,
    ...wrapped("Not checked:", rule.checked.open.join("; "), session),
  ]);
}
