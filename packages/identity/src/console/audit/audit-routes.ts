/** `/console/api/audit`: the audit trail, the newest events first. */
import { Type, type Static } from "typebox";

import { formatTimestamp, type Moment } from "../../platform/clock.js";
import { InvalidError } from "../../platform/errors.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { CONSOLE_API_PATH } from "../console-address.js";
import type { ListedAuditEvent, StoredAuditEvent } from "./audit-event-store.js";
import type { AuditTrail } from "./audit-trail.js";

const STANDARD_LIMIT = 50;
const MAX_LIMIT = 500;
const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }));

const Query = Type.Object({
  action: Text,
  outcome: Type.Optional(Type.Enum(["done", "refused", "failed"])),
  user_id: Text,
  request_id: Text,
  address: Text,
  target: Text,
  since: Text,
  until: Text,
  marker: Text,
  limit: Text,
});

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
}

function readFilters(query: Static<typeof Query>) {
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
function eventView({ id, at, userId, user, requestId, details, ...event }: ListedAuditEvent) {
  const { scope = null, delegation = null, target } = details;
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
  };
}

/** As scopes of requests are written. */
function scopeView(scope: NonNullable<StoredAuditEvent["details"]["scope"]>): object {
  if (scope.kind === "project") return { project: { id: scope.projectId } };
  if (scope.kind === "domain") return { domain: { id: scope.domainId } };
  return scope.kind === "system" ? { system: { all: true } } : {};
}
