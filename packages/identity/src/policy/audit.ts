/** The record of who did what: one line of the log for each change that was asked for, and for each login. No secrets. */
import type { FastifyInstance, FastifyRequest } from "fastify";

import type { CredentialScope } from "./credentials.js";
import type { Access } from "./guard.js";
import type { Action } from "./is-allowed.js";

/** What is recorded. */
export interface AuditRecord {
  /**
   * The rule's name, such as `identity:create_region`; `authenticate` for a login. Where it would depend on more than was
   * looked at, the method and the route.
   */
  readonly action: string;
  /** Who asked; left out where that is not known. */
  readonly user?: string | undefined;
  readonly scope?: CredentialScope | undefined;
  /** The ids that the path names. */
  readonly target: Readonly<Record<string, string>>;
  readonly outcome: "done" | "refused" | "failed";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the record calls the route, where its rule is that of another one. */
    readonly auditedAs?: string;
  }
}

/** Refused: nobody knows who asks, whoever asks may not, or has tried too often. */
const REFUSALS = new Set([401, 403, 429]);

/** What an answer of this status means. */
export function outcomeOf(status: number): AuditRecord["outcome"] {
  if (status < 400) return "done";
  return REFUSALS.has(status) ? "refused" : "failed";
}

/** Writes the record of a request that is answered with a status. The line has the request's id by itself. */
export function writeAudit(request: FastifyRequest, status: number, record: AuditRecord): void {
  const audit = { ...record, status, request: request.id, from: request.clientAddress };
  request.log.info({ audit }, "audit");
}

function actionOf(access: Access): Action | undefined {
  if (typeof access === "object") return "action" in access ? access.action : undefined;
  return access === "public" ? undefined : access;
}

/** Records the changes that are asked for through guarded routes. Logins are public, and recorded by their route. */
export function auditRequests(server: FastifyInstance): void {
  server.addHook("onResponse", (request, reply, done) => {
    const { access = "public", auditedAs } = request.routeOptions.config;
    if (access !== "public" && request.method !== "GET" && request.method !== "HEAD") {
      const { statusCode } = reply;
      // On a request without a token there is nobody.
      const caller = request.caller as typeof request.caller | undefined;
      writeAudit(request, statusCode, {
        action:
          auditedAs ??
          request.askedAction ??
          actionOf(access) ??
          `${request.method} ${request.routeOptions.url}`,
        user: caller?.userId,
        scope: caller?.scope,
        target: request.params as Record<string, string>,
        outcome: outcomeOf(statusCode),
      });
    }
    done();
  });
}
