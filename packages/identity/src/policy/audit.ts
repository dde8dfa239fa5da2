/** The audit record: one log line per requested change and per login, without secrets. */
import type { FastifyInstance, FastifyRequest } from "fastify";

import type { CredentialScope } from "./credentials.js";
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
  readonly outcome: "done" | "refused" | "failed";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The action to record, where the route is checked by the action of another one. */
    readonly auditedAs?: string;
  }
}

/** Unauthenticated, forbidden, rate-limited. */
const REFUSALS = new Set([401, 403, 429]);

/** The outcome that a status means. */
export function outcomeOf(status: number): AuditRecord["outcome"] {
  if (status < 400) return "done";
  return REFUSALS.has(status) ? "refused" : "failed";
}

/** Logs the record of a request. */
export function writeAudit(request: FastifyRequest, status: number, record: AuditRecord): void {
  const audit = { ...record, status, request: request.id, from: request.clientAddress };
  request.log.info({ audit }, "audit");
}

function actionOf(access: Access): Action | undefined {
  if (typeof access === "object") return "action" in access ? access.action : undefined;
  return access === "public" ? undefined : access;
}

/** Records changes requested through guarded routes. Login routes are public and record themselves. */
export function auditRequests(server: FastifyInstance): void {
  server.addHook("onResponse", (request, reply, done) => {
    const { access = "public", auditedAs } = request.routeOptions.config;
    if (access !== "public" && request.method !== "GET" && request.method !== "HEAD") {
      const { statusCode } = reply;
      // `undefined` without a token.
      const caller = request.caller as typeof request.caller | undefined;
      writeAudit(request, statusCode, {
        action:
          auditedAs ??
          request.checkedAction ??
          actionOf(access) ??
          `${request.method} ${request.routeOptions.url}`,
        user: caller?.userId,
        scope: caller?.scope,
        delegation: caller?.delegation?.by,
        target: request.params as Record<string, string>,
        outcome: outcomeOf(statusCode),
      });
    }
    done();
  });
}
