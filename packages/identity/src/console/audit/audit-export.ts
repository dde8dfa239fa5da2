/** Audit events as JSON, and all that filters let through as text: a line of JSON each, or CSV. */
import { formatTimestamp } from "../../platform/clock.js";
import { csvLine } from "../../platform/text/csv.js";
import type { AuditQuery, ListedAuditEvent, StoredAuditEvent } from "./audit-event-store.js";

/** Events of one query. */
export const MAX_LIMIT = 500;

export type ListAudit = (query: AuditQuery) => Promise<ListedAuditEvent[]>;

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The newest first; pieces of text. */
export function auditText(
  list: ListAudit,
  filters: Omit<AuditQuery, "limit">,
  { format, limit }: { readonly format: ExportFormat; readonly limit?: number | undefined },
): AsyncGenerator<string> {
  const pages = auditPages(list, filters, limit);
  return format === "csv" ? csvOf(pages) : linesOf(pages);
}

type Pages = AsyncIterable<readonly ListedAuditEvent[]>;

/** Reads as fast as the client does; no connection to the database stays open between pages. */
export async function* auditPages(
  list: ListAudit,
  filters: Omit<AuditQuery, "limit">,
  limit = Infinity,
): AsyncGenerator<readonly ListedAuditEvent[]> {
  for (let marker = filters.marker, left = limit; left > 0;) {
    const size = Math.min(left, MAX_LIMIT);
    const found = await list({ ...filters, marker, limit: size });
    const shown = found.slice(0, size);
    yield shown;
    if (found.length <= size) return;
    marker = shown.at(-1)?.id;
    left -= size;
  }
}

/** An event in each line. */
async function* linesOf(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages)
    yield page.map((event) => `${JSON.stringify(auditEventView(event))}\n`).join("");
}

async function* csvOf(pages: Pages): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS.map(([name]) => name));
  for await (const page of pages)
    yield page
      .map((event) => {
        const view = auditEventView(event);
        return csvLine(CSV_COLUMNS.map(([, read]) => csvText(read(view))));
      })
      .join("");
}

type AuditEventView = ReturnType<typeof auditEventView>;
type Cell = string | number | object | null | undefined;

const CSV_COLUMNS: readonly (readonly [string, (event: AuditEventView) => Cell])[] = [
  ["at", ({ at }) => at],
  ["action", ({ action }) => action],
  ["outcome", ({ outcome }) => outcome],
  ["status", ({ status }) => status],
  ["user_id", ({ user_id: id }) => id],
  ["user", ({ user }) => user?.name],
  ["user_domain", ({ user }) => user?.domain],
  ["address", ({ address }) => address],
  ["request_id", ({ request_id: id }) => id],
  ["scope", ({ scope }) => scope],
  ["item_kind", ({ item }) => item?.kind],
  ["item_id", ({ item }) => item?.id],
  ["item_name", ({ item }) => item?.name],
  ["target", ({ target }) => target],
  ["changes", ({ changes }) => changes],
];

function csvText(value: Cell): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Audit readers see names of users of all domains, as those in targets of logins. */
export function auditEventView({
  id,
  at,
  userId,
  user,
  requestId,
  details,
  targetNames,
  ...event
}: ListedAuditEvent) {
  const { scope = null, delegation = null, target, item = null, changes = null } = details;
  return {
    id,
    at: formatTimestamp(at),
    ...event,
    user_id: userId,
    user: user ?? null,
    request_id: requestId,
    scope: scope && scopeView(scope),
    delegation,
    target,
    target_names: targetNames,
    item,
    changes,
  };
}

/** As scopes of requests are written. */
function scopeView(scope: NonNullable<StoredAuditEvent["details"]["scope"]>): object {
  if (scope.kind === "project") return { project: { id: scope.projectId } };
  if (scope.kind === "domain") return { domain: { id: scope.domainId } };
  return scope.kind === "system" ? { system: { all: true } } : {};
}
