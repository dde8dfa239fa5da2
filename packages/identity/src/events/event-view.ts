/** Events as JSON for files, webhooks and auditors: one flat object, whose members are described in docs/identity/events.md. */
import { formatTimestamp } from "../platform/clock.js";
import type { ServiceEvent } from "../platform/events.js";
import { eventTypeOf, type EventRecord } from "./event-record.js";

export function eventView({ id, at, event, initiator }: EventRecord): object {
  return {
    id,
    time: formatTimestamp(at),
    type: eventTypeOf(event),
    ...detailsOf(event),
    ...(initiator !== undefined && {
      initiator: {
        user_id: initiator.userId,
        user_name: initiator.userName,
        project_id: initiator.projectId,
        domain_id: initiator.domainId,
        address: initiator.address,
        agent: initiator.agent,
        request_id: initiator.requestId,
        global_request_id: initiator.globalRequestId,
      },
    }),
  };
}

function detailsOf(event: ServiceEvent): object {
  if ("resource" in event) {
    const { resource, operation, id, member, refusal } = event;
    return {
      outcome: refusal === undefined ? "success" : "failure",
      resource: { type: resource, id },
      operation,
      ...(member !== undefined && { member: { user_id: member.userId, operation: member.operation } }),
      ...(refusal !== undefined && { reason: refusal }),
    };
  }
  if ("grant" in event) {
    const { grant, outcome, roleId, actor, target, isInherited } = event;
    return {
      outcome,
      operation: grant,
      grant: {
        role_id: roleId,
        ...("userId" in actor ? { user_id: actor.userId } : { group_id: actor.groupId }),
        ...("projectId" in target ? { project_id: target.projectId } : { domain_id: target.domainId }),
        inherited: isInherited,
      },
    };
  }
  const { login, outcome, user, federation, reason } = event;
  return {
    outcome,
    method: login,
    ...(user !== undefined && {
      user: "id" in user ? { id: user.id, name: user.name } : { domain_id: user.domainId },
    }),
    ...(federation !== undefined && {
      federation: {
        identity_provider_id: federation.providerId,
        user_id: federation.userId,
        group_ids: federation.groupIds,
      },
    }),
    ...(reason !== undefined && { reason: reason.text }),
  };
}
