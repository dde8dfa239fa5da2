/** Events as they are stored, with their time and who caused them, and their types by Keystone's names. */
import type { FastifyRequest } from "fastify";

import type { Moment } from "../platform/clock.js";
import type { EventInitiator, ServiceEvent } from "../platform/events.js";
import type { CredentialScope } from "../policy/caller.js";

/** An event as receivers get it. */
export interface EventRecord {
  /** A UUID, the same each time that the event is sent. */
  readonly id: string;
  readonly at: Moment;
  readonly event: ServiceEvent;
  /** `undefined` for a change by command. */
  readonly initiator?: NamedInitiator;
}

export interface NamedInitiator extends EventInitiator {
  /** At the time of the event. */
  readonly userName?: string;
}

/** Keystone's `event_type`. */
export function eventTypeOf(event: ServiceEvent): string {
  if ("resource" in event) return `identity.${event.resource}.${event.operation}`;
  return "grant" in event ? `identity.role_assignment.${event.grant}` : "identity.authenticate";
}

/** What `notification_opt_out` calls it: logins with their outcome. */
export function optOutNameOf(event: ServiceEvent): string {
  return "login" in event ? `${eventTypeOf(event)}.${event.outcome}` : eventTypeOf(event);
}

const GLOBAL_REQUEST_ID = /^req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function initiatorOf(request: FastifyRequest): EventInitiator {
  const caller = request.caller as typeof request.caller | undefined;
  const globalRequestId = request.headers["x-openstack-request-id"];
  return {
    ...(caller !== undefined && { userId: caller.userId, ...scopeIds(caller.scope) }),
    address: request.clientAddress,
    agent: request.headers["user-agent"],
    requestId: request.id,
    ...(typeof globalRequestId === "string" &&
      GLOBAL_REQUEST_ID.test(globalRequestId) && { globalRequestId }),
  };
}

function scopeIds(scope: CredentialScope): Pick<EventInitiator, "projectId" | "domainId"> {
  if (scope.kind === "project") return { projectId: scope.projectId };
  return scope.kind === "domain" ? { domainId: scope.domainId } : {};
}
