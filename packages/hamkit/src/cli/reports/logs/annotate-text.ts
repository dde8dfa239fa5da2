/** The text output of `hamkit annotate`. */
import type { AnnotatedLog, UnidentifiedQso } from "../../../logs/annotation/annotation.js";
import type { CallsignDatabase } from "../../databases/callsign-database.js";
import { dataText } from "../data-text.js";
import type { Session } from "../../session.js";
import { layOutTable, printable, type Column } from "../../terminal/text-table.js";

export interface AnnotateOutcome {
  readonly annotated: AnnotatedLog;
  readonly output: string;
  readonly overwrite: boolean;
  readonly database: CallsignDatabase;
}

/** Maximum number of listed entities, and of lines in each other list; `--json` has all. */
const MAX_ENTITIES = 15;
const MAX_LINES = 10;

export function annotationLines(outcome: AnnotateOutcome, session: Session): string[] {
  const { annotated, output, database } = outcome;
  const { summary } = annotated;
  const { ink } = session;
  const values = `${count(summary.added, "value")} added`;
  const replaced = summary.replaced > 0 ? `, ${count(summary.replaced, "value")} replaced` : "";
  return [
    `${ink("bold", printable(output, 200))}: ${count(summary.qsos, "QSO")}, ${values}${replaced}`,
    ...entityLines(annotated, session),
    ...tallyLines(
      "CQ zones",
      summary.cqZones.map(({ cqz, qsos }) => [String(cqz), qsos]),
      session,
    ),
    ...tallyLines(
      "Bands",
      summary.bands.map(({ band, qsos }) => [band, qsos]),
      session,
    ),
    ...issueLines(outcome, session),
    "",
    ink("dim", dataText(database)),
  ];
}

/** The lines on standard error. */
export function annotationErrors({ summary, unidentified, problemCount }: AnnotatedLog): string[] {
  const unknown = `no result for ${unidentified.length} of ${count(summary.qsos, "QSO")}`;
  const problems = `${count(problemCount, "problem")} in the log`;
  return [...(unidentified.length > 0 ? [unknown] : []), ...(problemCount > 0 ? [problems] : [])];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

type Entity = AnnotatedLog["summary"]["entities"][number];

const COLUMNS: readonly Column<Entity>[] = [
  { title: "Entity", cell: ({ adif, country }) => (adif === 0 ? "none, at sea or in the air" : country) },
  { title: "DXCC", cell: ({ adif }) => String(adif), align: "right" },
  { title: "QSOs", cell: ({ qsos }) => String(qsos), align: "right" },
];

function entityLines({ summary: { entities } }: AnnotatedLog, { ink }: Session): string[] {
  if (entities.length === 0) return [];
  const shown = entities.slice(0, MAX_ENTITIES);
  const { lines } = layOutTable(
    shown.map((row) => ({ row })),
    COLUMNS,
    { ink },
  );
  return ["", ...lines, ...more(entities.length - shown.length, ink)];
}

/** "14: 1203   15: 88", wrapped to the terminal width. */
function tallyLines(
  title: string,
  tally: readonly (readonly [name: string, qsos: number])[],
  { ink, io }: Session,
): string[] {
  if (tally.length === 0) return [];
  const width = Math.min(io.stdout.columns ?? 100, 100);
  const lines: string[] = [];
  let line = "";
  for (const [name, qsos] of tally) {
    const item = `${printable(name)}: ${qsos}`;
    if (line !== "" && line.length + 3 + item.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? item : `   ${item}`;
  }
  return ["", ink("bold", title), ...lines, line];
}

const REASONS: Readonly<Record<UnidentifiedQso["reason"], string>> = {
  unknown: "unknown callsign",
  "invalid-operation": "does not count for DXCC",
  "no-call": "has no CALL",
};

function issueLines({ annotated, overwrite }: AnnotateOutcome, session: Session): string[] {
  const { unidentified, disagreements, problems, problemCount } = annotated;
  const action = overwrite ? "replaced" : "kept";
  return [
    ...listLines(
      `Not identified: ${count(unidentified.length, "QSO")}`,
      unidentified.map(({ line, call, reason }) => ({ line, text: `${call} ${REASONS[reason]}`.trim() })),
      unidentified.length,
      session,
    ),
    ...listLines(
      `Differing values of the log (${action}): ${disagreements.length}`,
      disagreements.map(({ line, call, field, logged, found }) => ({
        line,
        text: `${call} ${field} ${logged} in the log, ${found} found`,
      })),
      disagreements.length,
      session,
    ),
    ...listLines(
      `Problems in the log: ${problemCount}`,
      problems.map(({ line, message }) => ({ line, text: message })),
      problemCount,
      session,
    ),
  ];
}

function listLines(
  title: string,
  items: readonly { readonly line: number; readonly text: string }[],
  total: number,
  { ink }: Session,
): string[] {
  if (total === 0) return [];
  const shown = items.slice(0, MAX_LINES);
  const lines = shown.map(({ line, text }) => `  line ${line}  ${printable(text, 120)}`);
  return ["", ink("yellow", title), ...lines, ...more(total - shown.length, ink)];
}

function more(left: number, ink: Session["ink"]): string[] {
  return left > 0 ? [ink("dim", `  and ${left} more; --json has all`)] : [];
}
