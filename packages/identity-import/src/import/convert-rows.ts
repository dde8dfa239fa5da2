/** Reads a table of Keystone's, and converts its rows. Rows that can't be converted are reported. */
import { applyRules } from "./api-rules.js";
import { ColumnError, isAbsent } from "./source/source-values.js";
import { messageOf, quoted } from "@hamkit/identity/import-support/command-line";

import { sourceDigest } from "./import-record.js";
import type { ImportReport, TableCount } from "./report/import-report.js";
import type { KeystoneSource, SourceRow } from "./source/keystone-source.js";
import { referenceName, type TableTransfer, type TargetRow, type TransferContext } from "./table-transfer.js";
import { ROOT_DOMAIN } from "./transfers/project-transfers.js";

export interface ConvertedRow {
  /** In a report. */
  readonly name: string;
  /** Keystone's id, if the row has one. */
  readonly sourceId: string | null;
  readonly sourceDigest: string;
  /** Keystone's row, with those that belong to it. */
  readonly group: readonly SourceRow[];
  readonly row: TargetRow;
}

/** What all rows of an import share. */
export interface ConversionContext extends Pick<
  TransferContext,
  "now" | "seal" | "openBlob" | "defaultAuthorizationTtl" | "usesDomainDrivers"
> {
  readonly report: Pick<ImportReport, "add" | "countHash">;
  /** The ids of rows that were not imported, by Keystone's table: rows that refer to them are not imported either. */
  readonly leftOut: Map<string, Set<string>>;
}

/** The ids that nothing may refer to from the start. */
export function createLeftOut(): Map<string, Set<string>> {
  return new Map([["project", new Set([ROOT_DOMAIN])]]);
}

/** Records that a row was not imported. */
export function leaveOut(leftOut: Map<string, Set<string>>, table: string, id: string | null): void {
  if (id === null) return;
  const ids = leftOut.get(table) ?? new Set();
  leftOut.set(table, ids.add(id));
}

/** The rows of a query, converted, some at a time. */
export async function* convertRows(
  source: Pick<KeystoneSource, "read">,
  {
    transfer,
    query,
    count,
  }: { readonly transfer: TableTransfer; readonly query: string; readonly count: TableCount },
  context: ConversionContext,
): AsyncGenerator<readonly ConvertedRow[]> {
  const convert = createConverter(transfer, context);
  for await (const groups of readGroups(source.read(query), transfer.groupedBy)) {
    const converted: ConvertedRow[] = [];
    for (const group of groups) {
      count.read++;
      const row = convert(group);
      if (row === undefined) count.leftOut++;
      else converted.push(row);
    }
    yield converted;
  }
}

/** The rows that belong together: those that follow each other with the same value of a column. */
async function* readGroups(
  batches: AsyncIterable<readonly SourceRow[]>,
  column: string | undefined,
): AsyncGenerator<readonly (readonly SourceRow[])[]> {
  let open: SourceRow[] = [];
  for await (const batch of batches) {
    if (column === undefined) {
      yield batch.map((row) => [row]);
      continue;
    }
    const groups: SourceRow[][] = [];
    for (const row of batch) {
      if (open.length > 0 && open[0]?.[column] !== row[column]) {
        groups.push(open);
        open = [];
      }
      open.push(row);
    }
    yield groups;
  }
  if (open.length > 0) yield [open];
}

/** A name in a line of the report. */
function withoutControls(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A value in the report. */
function shown(value: unknown): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

function withValue(row: SourceRow, column: string, value: string | null): SourceRow {
  return { ...row, [column]: value };
}

/** Converts the rows of one table. Its functions are made once: there may be a million rows. */
function createConverter(transfer: TableTransfer, context: ConversionContext) {
  const { report, leftOut } = context;
  const { from, named = ["id"], references = {}, key, rules = {} } = transfer;
  let row: SourceRow = {};
  const nameOf = () => withoutControls(named.map((column) => row[column] ?? "").join("/"));
  const placeOf = (column: string, value: unknown) => ({
    table: from,
    column,
    row: value === undefined ? nameOf() : `${nameOf()} (${shown(value)})`,
  });
  const note: TransferContext["note"] = (column, reason, value) =>
    report.add("note", placeOf(column, value), reason);
  const refuse: TransferContext["leaveOut"] = (column, reason, value) => {
    report.add("left-out", placeOf(column, value), reason);
    leaveOut(leftOut, from, row["id"] ?? null);
  };
  const isLeftOut: TransferContext["isLeftOut"] = (table, id) => leftOut.get(table)?.has(id) === true;
  const rowContext = {
    ...context,
    group: [row] as readonly SourceRow[],
    note,
    isLeftOut,
    leaveOut: refuse,
    countHash: (kind: string) => report.countHash(kind),
  };
  const checks = Object.entries(references);

  /** The row with references that exist; `undefined` if it needs one that does not. */
  function withReferences(): SourceRow | undefined {
    let known = row;
    for (const [column, { table, ifMissing, isRequired, isDomain }] of checks) {
      const value = row[column];
      if (isAbsent(value)) {
        if (isRequired === true) return refuse(column, `is null: expected a row of ${table}`);
        continue;
      }
      const found = row[referenceName(column)];
      const isMissing = isAbsent(found) || isLeftOut(table, found);
      if (!isMissing && found === value) continue;
      if (isMissing && ifMissing === "left-out")
        return refuse(
          column,
          `refers to a row of ${table} that ${isDomain === true ? "is no domain, " : ""}does not exist or is not imported`,
          value,
        );
      // MariaDB finds an id in another case.
      note(
        column,
        isMissing
          ? `the row of ${table} does not exist or is not imported: the reference is ${ifMissing === "kept" ? "kept" : "dropped"}`
          : "the id has another case",
        value,
      );
      if (!isMissing) known = withValue(known, column, found);
      else if (ifMissing === "cleared") known = withValue(known, column, null);
    }
    return known;
  }

  return (group: readonly SourceRow[]): ConvertedRow | undefined => {
    row = group[0] ?? {};
    rowContext.group = group;
    const referring = withReferences();
    if (referring === undefined) return undefined;
    try {
      const made = transfer.toRow(referring, rowContext);
      const converted = made && applyRules(made, rules, rowContext);
      if (converted === undefined) return undefined;
      // Nothing of a row can change that only has a key.
      const isKeyOnly = Object.keys(converted).length === key.length;
      return {
        name: nameOf(),
        sourceId: row["id"] ?? null,
        sourceDigest: isKeyOnly ? "" : sourceDigest(group),
        group,
        row: converted,
      };
    } catch (error) {
      if (error instanceof ColumnError) return refuse(error.column, error.message, error.value);
      // Its message quotes the text, which may be a secret.
      return refuse("*", error instanceof SyntaxError ? "a value is not JSON" : messageOf(error));
    }
  };
}
