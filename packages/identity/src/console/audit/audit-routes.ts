/** `/console/api/audit`: the audit trail, the newest events first; `/console/api/audit/export`: all that filters let through, as a file. */
import { Readable } from "node:stream";

import { Type, type Static } from "typebox";

import { formatTimestamp, type Moment } from "../../platform/clock.js";
import { InvalidError } from "../../platform/errors.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { csvLine } from "../../platform/text/csv.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { CONSOLE_API_PATH } from "../console-address.js";
import type { AuditQuery, ListedAuditEvent, StoredAuditEvent } from "./audit-event-store.js";
import type { AuditTrail } from "./audit-trail.js";

const STANDARD_LIMIT = 50;
const MAX_LIMIT = 500;
const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }));

const Filters = {
  action: Text,
  outcome: Type.Optional(Type.Enum(["done", "refused", "failed"])),
  user_id: Text,
  request_id: Text,
  address: Text,
  target: Text,
  since: Text,
  until: Text,
};
const Query = Type.Object({ ...Filters, marker: Text, limit: Text });
const ExportQuery = Type.Object({ ...Filters, format: Type.Enum(["csv", "jsonl"]) });

export interface AuditRoutesDeps {
  /** `undefined` where the service keeps no audit trail. */
  readonly auditTrail: Pick<AuditTrail, "list"> | undefined;
}

export function addAuditRoutes(server: HttpServer, { auditTrail }: AuditRoutesDeps): void {
  server.get(
    `${CONSOLE_API_PATH}/audit`,
    { config: { access: "identity:list_audit_events" }, schema: { querystring: Query } },
    async ({ query }) => {
      if (auditTrail === undefined) return { is_kept: false, events: [], next: null };
      const limit = readLimit(query.limit);
      const found = await auditTrail.list({ ...readFilters(query), limit });
      const shown = found.slice(0, limit);
      // The marker of the next page.
      const next = found.length > limit ? (shown.at(-1)?.id ?? null) : null;
      return { is_kept: true, events: shown.map(eventView), next };
    },
  );
  server.get(
    `${CONSOLE_API_PATH}/audit/export`,
    { config: { access: "identity:list_audit_events" }, schema: { querystring: ExportQuery } },
    async ({ query }, reply) => {
      const { format } = query;
      const pages = auditTrail === undefined ? [] : pagesOf(auditTrail, readFilters(query));
      reply.header("content-disposition", `attachment; filename="audit.${format}"`).type(TYPES[format]);
      return reply.send(
        Readable.from(format === "csv" ? csvOf(pages) : linesOf(pages), { objectMode: false }),
      );
    },
  );
}

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/x-ndjson; charset=utf-8" };

type Pages = AsyncIterable<readonly ListedAuditEvent[]> | Iterable<readonly ListedAuditEvent[]>;

/** Reads as fast as the client does; no connection to the database stays open between pages. */
async function* pagesOf(
  auditTrail: Pick<AuditTrail, "list">,
  filters: Omit<AuditQuery, "limit">,
): AsyncGenerator<readonly ListedAuditEvent[]> {
  for (let marker: string | undefined; ;) {
    const found = await auditTrail.list({ ...filters, marker, limit: MAX_LIMIT });
    const shown = found.slice(0, MAX_LIMIT);
    yield shown;
    marker = shown.at(-1)?.id;
    if (found.length <= MAX_LIMIT) return;
  }
}

/** An event in each line. */
async function* linesOf(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((event) => `${JSON.stringify(eventView(event))}\n`).join("");
}

async function* csvOf(pages: Pages): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS.map(([name]) => name));
  for await (const page of pages)
    yield page
      .map((event) => {
        const view = eventView(event);
        return csvLine(CSV_COLUMNS.map(([, read]) => csvText(read(view))));
      })
      .join("");
}

type EventView = ReturnType<typeof eventView>;
type Cell = string | number | object | null | undefined;

const CSV_COLUMNS: readonly (readonly [string, (event: EventView) => Cell])[] = [
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

function readFilters(query: Omit<Static<typeof Query>, "limit">) {
  const { action, outcome, user_id: userId, request_id: requestId, address, target, marker } = query;
  return {
    action,
    outcome,
    userId,
    requestId,
    address,
    target,
    marker,
    since: readMoment("since", query.since),
    until: readMoment("until", query.until),
  };
}

/** @throws {InvalidError} */
function readMoment(name: string, text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined;
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment))
    throw new InvalidError(
      `Invalid input for field ${name}: ${quoted(text)}, expected a time such as 2026-11-23T07:00:00Z.`,
    );
  return moment;
}

/** @throws {InvalidError} */
function readLimit(text: string | undefined): number {
  if (text === undefined) return STANDARD_LIMIT;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidError(
      `Invalid input for field limit: ${quoted(text)}, expected a whole number from 1 to ${MAX_LIMIT}.`,
    );
  return limit;
}

/** Audit readers see names of users of all domains, as those in targets of logins. */
function eventView({ id, at, userId, user, requestId, details, targetNames, ...event }: ListedAuditEvent) {
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
