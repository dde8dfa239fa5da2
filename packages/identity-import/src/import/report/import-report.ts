/** What an import found and did, for the operator. Contains no secret. */

export interface TableCount {
  /** Keystone's table. */
  readonly table: string;
  read: number;
  imported: number;
  leftOut: number;
  /** Of an update. */
  changed: number;
  deleted: number;
}

/** Rows with the same problem. */
export interface Problem {
  readonly table: string;
  readonly column: string;
  readonly reason: string;
  readonly kind: ProblemKind;
  count: number;
  /** The keys of the first rows. */
  readonly rows: string[];
}

/** The row is not imported; or it is, with a change or a limit; or an update found it changed here too. */
export type ProblemKind = "left-out" | "note" | "conflict";

/** Rows that are named for one problem. */
const MAX_NAMED_ROWS = 20;
/** Different problems: more of them only count. */
const MAX_PROBLEMS = 10_000;

export type ImportReport = ReturnType<typeof createImportReport>;

export function createImportReport() {
  const counts: TableCount[] = [];
  const problems = new Map<string, Problem>();
  const hashes = new Map<string, number>();
  let unlisted = 0;

  /** The counts of a table, which several steps of an import add to. */
  function startTable(table: string): TableCount {
    const known = counts.find((count) => count.table === table);
    if (known !== undefined) return known;
    const count = { table, read: 0, imported: 0, leftOut: 0, changed: 0, deleted: 0 };
    counts.push(count);
    return count;
  }

  return {
    counts: counts as readonly TableCount[],
    hashes: hashes as ReadonlyMap<string, number>,
    problems: (): readonly Problem[] => [...problems.values()],
    unlisted: (): number => unlisted,

    startTable,

    /** Adds the tables, problems and hashes of another report. */
    absorb(other: Absorbed): void {
      for (const { table, ...added } of other.counts) {
        const count = startTable(table);
        for (const kind of Object.keys(added) as (keyof typeof added)[]) count[kind] += added[kind];
      }
      for (const problem of other.problems()) {
        const key = keyOfProblem(problem);
        const known = problems.get(key);
        if (known === undefined && problems.size === MAX_PROBLEMS) unlisted++;
        else if (known === undefined) problems.set(key, problem);
        else {
          known.count += problem.count;
          known.rows.push(...problem.rows.slice(0, MAX_NAMED_ROWS - known.rows.length));
        }
      }
      unlisted += other.unlisted();
      for (const [kind, count] of other.hashes) hashes.set(kind, (hashes.get(kind) ?? 0) + count);
    },

    add(
      kind: ProblemKind,
      place: { readonly table: string; readonly column: string; readonly row: string },
      reason: string,
    ): void {
      const { table, column, row } = place;
      const key = keyOfProblem({ kind, table, column, reason });
      const known = problems.get(key);
      if (known === undefined && problems.size === MAX_PROBLEMS) {
        unlisted++;
        return;
      }
      const problem = known ?? { table, column, reason, kind, count: 0, rows: [] };
      problem.count++;
      if (problem.rows.length < MAX_NAMED_ROWS) problem.rows.push(row);
      problems.set(key, problem);
    },

    countHash(kind: string): void {
      hashes.set(kind, (hashes.get(kind) ?? 0) + 1);
    },
  };
}

/** What a report takes from another one. */
interface Absorbed {
  readonly counts: readonly TableCount[];
  readonly hashes: ReadonlyMap<string, number>;
  readonly problems: () => readonly Problem[];
  readonly unlisted: () => number;
}

function keyOfProblem({ kind, table, column, reason }: Omit<Problem, "count" | "rows">): string {
  return JSON.stringify([kind, table, column, reason]);
}

const TITLES: Readonly<Record<ReportKind, Readonly<Record<ProblemKind, string>>>> = {
  imported: {
    conflict: "Changed there and here since the last import:",
    "left-out": "Not imported:",
    note: "Imported, with a change or a limit:",
  },
  exported: {
    conflict: "",
    "left-out": "Not exported:",
    note: "Exported, with a change or a limit:",
  },
};

/** An import, or an export. */
type ReportKind = "imported" | "exported";

/** The report in lines. */
export function writeReport(report: ImportReport, kind: ReportKind = "imported"): string[] {
  const { counts, hashes } = report;
  const isUpdate = counts.some(({ changed, deleted }) => changed + deleted > 0);
  const rows = counts
    .filter(({ read, deleted }) => read + deleted > 0)
    .map(({ table, read, imported, leftOut, changed, deleted }) =>
      [table].concat([read, imported, leftOut].concat(isUpdate ? [changed, deleted] : []).map(String)),
    );
  const head = ["table", "read", kind, "left out", ...(isUpdate ? ["changed", "deleted"] : [])];
  return [
    ...columnsOf([head, ...rows]),
    ...(["conflict", "left-out", "note"] as const).flatMap((problem) =>
      problemLines(report, problem, TITLES[kind][problem]),
    ),
    ...(report.unlisted() === 0 ? [] : ["", `${report.unlisted()} further problems are not listed.`]),
    ...(hashes.size === 0 ? [] : ["", "Hashes of passwords and secrets:"]),
    ...Array.from(hashes, ([hash, count]) => `  ${hash}: ${count}`).toSorted(compareTexts),
  ];
}

function problemLines(report: ImportReport, kind: ProblemKind, title: string): string[] {
  const problems = report.problems().filter((problem) => problem.kind === kind);
  if (problems.length === 0) return [];
  return [
    "",
    title,
    ...problems.map(({ table, column, reason, count, rows }) => {
      const more = count > rows.length ? ` and ${count - rows.length} more` : "";
      return `  ${table}.${column}: ${reason}: ${rows.join(", ")}${more}`;
    }),
  ];
}

/** Rows of text with aligned columns, the first to the left. */
function columnsOf(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join("  "),
  );
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
