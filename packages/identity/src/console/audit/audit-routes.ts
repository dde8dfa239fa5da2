/**
 * `/v3/audit_events`, and `/console/api/audit` for the console: the audit trail, the newest events first; `.../export`: all that filters
 * let through, as a file.
 */
import { Readable } from "node:stream";

import type { FastifyReply } from "fastify";
import { Type, type Static } from "typebox";

import type { Moment } from "../../platform/clock.js";
import { errorClass, InvalidError, NotFoundError } from "../../platform/errors.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { listResponse } from "../../platform/http/lists/paging.js";
import { addRoute, createRoutes } from "../../platform/http/route.js";
import { openObject } from "../../platform/http/validation/schema-parts.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { CONSOLE_API_PATH } from "../console-address.js";
import { auditText, auditEventView, EXPORT_FORMATS, MAX_LIMIT, type ExportFormat } from "./audit-export.js";
import type { AuditTrail } from "./audit-trail.js";

const STANDARD_LIMIT = 50;
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
const ExportQuery = Type.Object({ ...Filters, format: Type.Enum([...EXPORT_FORMATS]) });

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
      return { is_kept: true, events: shown.map(auditEventView), next };
    },
  );
  server.get(
    `${CONSOLE_API_PATH}/audit/export`,
    { config: { access: "identity:list_audit_events" }, schema: { querystring: ExportQuery } },
    ({ query }, reply) => sendExport(reply, auditTrail, query),
  );
}

/** The audit trail is off. */
export class AuditTrailOffError extends errorClass(
  NotFoundError,
  "audit/not-kept",
  "Audit events are not kept here: see IDENTITY_AUDIT_TRAIL_DAYS.",
) {}

const AuditEventList = Type.Object({
  audit_events: Type.Array(openObject({ id: Type.String() })),
  links: openObject({}),
  truncated: Type.Optional(Type.Boolean()),
});

/** For auditors and their programs. */
export function addAuditApi(
  server: HttpServer,
  { auditTrail, links }: AuditRoutesDeps & { readonly links: Links },
): void {
  const access = "identity:list_audit_events";
  const path = "/v3/audit_events";
  const requireTrail = () => {
    if (auditTrail === undefined) throw new AuditTrailOffError();
    return auditTrail;
  };
  createRoutes(server, "audit events")("GET", path, {
    access,
    summary: "Lists audit events, the newest first",
    query: Query,
    response: AuditEventList,
    async handle({ query, url }) {
      const limit = readLimit(query.limit);
      const found = await requireTrail().list({ ...readFilters(query), limit });
      const page = { limit, marker: query.marker };
      return listResponse("audit_events", found.map(auditEventView), { page, links, url });
    },
  });
  addRoute(server, {
    method: "GET",
    path: `${path}/export`,
    tag: "audit events",
    access,
    summary: "Sends all audit events that the filters let through, as lines of JSON or CSV",
    query: ExportQuery,
    handler: ({ query }, reply) =>
      sendExport(reply, requireTrail(), query as unknown as Static<typeof ExportQuery>),
  });
}

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
};

function sendExport(
  reply: FastifyReply,
  auditTrail: AuditRoutesDeps["auditTrail"],
  query: Static<typeof ExportQuery>,
): FastifyReply {
  const { format } = query;
  const list: Pick<AuditTrail, "list">["list"] = (given) => auditTrail?.list(given) ?? Promise.resolve([]);
  const text = auditText(list, readFilters(query), { format });
  reply.header("content-disposition", `attachment; filename="audit.${format}"`).type(TYPES[format]);
  return reply.send(Readable.from(text, { objectMode: false }));
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
export function readMoment(name: string, text: string | undefined): Moment | undefined {
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
