/** The audit record: one log line per requested change and per login, without secrets. Sinks receive it too. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";

import { errorClass, UnavailableError } from "../platform/errors.js";
import type { ChangedItem, NotedChange } from "../platform/http/noted-change.js";
import { atEndOf } from "../platform/http/request-end.js";
import { addRouteHook } from "../platform/http/route-hooks.js";
import type { CredentialScope } from "./caller.js";
import type { DelegatedBy } from "./delegation.js";
import type { Access } from "./guard.js";
import type { Action } from "./is-allowed.js";

export interface AuditRecord {
  /**
   * The policy action, such as `identity:create_region`; `authenticate` for a login. Method and route where the action was not
   * determined.
   */
  readonly action: string;
  /** The caller's id, if known. */
  readonly user?: string | undefined;
  readonly scope?: CredentialScope | undefined;
  /** By what the caller's token was delegated. */
  readonly delegation?: DelegatedBy | undefined;
  /** The ids in the path. */
  readonly target: Readonly<Record<string, string>>;
  /** The item that the request creates, changes or deletes, where its route knows it. */
  readonly item?: ChangedItem | undefined;
  /** The members that it changes; values of those alone that can't be secrets. */
  readonly changes?: NotedChange["changes"];
  readonly outcome: "done" | "refused" | "failed";
}

/** A record with its request. */
export interface AuditEvent extends AuditRecord {
  /** Of the response. */
  readonly status: number;
  /** The id of the request, as in the log. */
  readonly request: string;
  /** The client's address. */
  readonly from: string;
}

/** Receives audit events. It neither throws nor waits: requests don't depend on it. */
export type AuditSink = (event: AuditEvent) => void;

declare module "fastify" {
  interface FastifyInstance {
    /** `undefined` on a server without {@link auditRequests}. */
    auditSinks: readonly AuditSink[] | undefined;
  }
  interface FastifyContextConfig {
    /**
     * The action to record, where the route is checked by the action of another one. A GET request is recorded only if it has one: it
     * reads what not every caller of the action may be supposed to read.
     */
    readonly auditedAs?: string;
    /** Whether the route changes nothing, whatever its method. */
    readonly isRead?: true;
    /** Whether a public route changes something; logins don't count. */
    readonly isPublicChange?: true;
  }
}

/** The record of a change can't be stored. */
export class AuditUnavailable extends errorClass(
  UnavailableError,
  "audit/unavailable",
  "Changes are refused while the audit log can't be written. Please try again later.",
) {}

/** Unauthenticated, forbidden, rate-limited. */
const REFUSALS = new Set([401, 403, 429]);

/** The outcome that a status means. */
export function outcomeOf(status: number): AuditRecord["outcome"] {
  if (status < 400) return "done";
  return REFUSALS.has(status) ? "refused" : "failed";
}

/** Logs the record of a request, and passes it to the sinks. */
export function writeAudit(request: FastifyRequest, status: number, record: AuditRecord): void {
  const audit: AuditEvent = { ...record, status, request: request.id, from: request.clientAddress };
  request.log.info({ audit }, "audit");
  for (const sink of request.server.auditSinks ?? []) sink(audit);
}

function actionOf(access: Access): Action | undefined {
  if (typeof access === "object") return "action" in access ? access.action : undefined;
  return access === "public" ? undefined : access;
}

/** Responds with 503 to requested changes whose records can't be stored. Logins and reads are served. */
export function refuseUnauditedChanges(server: FastifyInstance, isStored: () => boolean): void {
  server.addHook("onRoute", (route) => {
    const { access = "public", isPublicChange = false } = route.config ?? {};
    if (access === "public" ? !isPublicChange : !mayChange(route)) return;
    addRouteHook(route, "onRequest", (_request, _reply, done) =>
      done(isStored() ? undefined : new AuditUnavailable()),
    );
  });
}

/** Whether a guarded route may change something. */
function mayChange({ method, config }: RouteOptions): boolean {
  return config?.isRead !== true && method !== "GET" && method !== "HEAD";
}

/** Records changes requested through guarded routes, and reads that are worth a record. Login routes are public and record themselves. */
export function auditRequests(server: FastifyInstance, sinks: readonly AuditSink[] = []): void {
  server.decorate("auditSinks", sinks);
  server.addHook("onRoute", (route) => {
    const { access = "public", auditedAs } = route.config ?? {};
    if (access === "public" || (auditedAs === undefined && !mayChange(route))) return;
    atEndOf(route, (request, { statusCode }) => {
      // `undefined` without a token.
      const caller = request.caller as typeof request.caller | undefined;
      writeAudit(request, statusCode, {
        action: auditedAs ?? request.checkedAction ?? actionOf(access) ?? `${request.method} ${route.url}`,
        user: caller?.userId,
        scope: caller?.scope,
        delegation: caller?.delegation?.by,
        target: request.params as Record<string, string>,
        ...request.notedChange,
        outcome: outcomeOf(statusCode),
      });
    });
  });
}
