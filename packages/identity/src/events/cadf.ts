/** The payloads of Keystone's notifications: CADF events, and the basic ones. */
import { createHash } from "node:crypto";

import { formatTimestamp } from "../platform/clock.js";
import type { EventFederation, GrantEvent, LoginEvent, ResourceEvent } from "../platform/events.js";
import type { EventRecord, NamedInitiator } from "./event-record.js";

const EVENT_TYPE = "http://schemas.dmtf.org/cloud/audit/1.0/event";
const USER_TYPE = "service/security/account/user";
const SAML_TYPE = "http://docs.oasis-open.org/security/saml/v2.0";

/** The taxonomy of CADF; others are `unknown`. */
const TARGET_TYPES: Partial<Record<ResourceEvent["resource"], string>> = {
  "OS-OAUTH1:consumer": "data/security/account",
  "OS-TRUST:trust": "data/security/trust",
  application_credential: "data/security/credential",
  domain: "data/security/domain",
  endpoint: "data/security/endpoint",
  group: "data/security/group",
  policy: "data/security/policy",
  project: "data/security/project",
  region: "data/security/region",
  role: "data/security/role",
  service: "data/security/service",
  user: "data/security/account/user",
};

export interface PayloadOptions {
  readonly format: "cadf" | "basic";
  /** The id of the identity service in the catalog. */
  readonly observerId: string;
}

/** Logins and grants are CADF in either format. */
export function payloadOf(record: EventRecord, { format, observerId }: PayloadOptions): object {
  const { event } = record;
  if ("login" in event) return loginPayload(record, event, observerId);
  if ("grant" in event) return grantPayload(record, event, observerId);
  return format === "cadf" ? resourcePayload(record, event, observerId) : basicPayload(record, event);
}

function basicPayload({ initiator }: EventRecord, { id, member }: ResourceEvent): object {
  return {
    resource_info: id,
    ...(member !== undefined && {
      actor_id: member.userId,
      actor_type: "user",
      actor_operation: member.operation,
    }),
    ...requestIdsOf(initiator),
  };
}

function resourcePayload(record: EventRecord, event: ResourceEvent, observerId: string): object {
  const { resource, operation, id, refusal } = event;
  return {
    ...common(record, { action: `${operation}.${resource}`, outcome: "success", observerId }),
    ...(record.initiator !== undefined && { initiator: initiatorView(record, record.initiator) }),
    target: { id, typeURI: TARGET_TYPES[resource] ?? "unknown" },
    ...(refusal !== undefined && { reason: { reasonType: refusal, reasonCode: "400" } }),
    resource_info: id,
  };
}

function grantPayload(record: EventRecord, event: GrantEvent, observerId: string): object {
  const { grant, outcome, actor, target, roleId, isInherited } = event;
  return {
    ...common(record, { action: `${grant}.role_assignment`, outcome, observerId }),
    ...(record.initiator !== undefined && { initiator: initiatorView(record, record.initiator) }),
    target: { id: namedUuid(record.id, "target"), typeURI: USER_TYPE },
    ...("projectId" in target ? { project: target.projectId } : { domain: target.domainId }),
    ...("userId" in actor ? { user: actor.userId } : { group: actor.groupId }),
    inherited_to_projects: isInherited,
    role: roleId,
  };
}

function loginPayload(record: EventRecord, event: LoginEvent, observerId: string): object {
  const { outcome, reason } = event;
  return {
    ...common(record, { action: "authenticate", outcome, observerId }),
    initiator: loginInitiator(record, event),
    target: { id: namedUuid(record.id, "target"), typeURI: USER_TYPE },
    ...(reason !== undefined && { reason: { reasonType: reason.text, reasonCode: reason.code } }),
  };
}

function common(
  { id, at }: EventRecord,
  {
    action,
    outcome,
    observerId,
  }: { readonly action: string; readonly outcome: string; readonly observerId: string },
): object {
  return {
    typeURI: EVENT_TYPE,
    eventType: "activity",
    id: namedUuid(id, "event"),
    // Microseconds, and the zone without a colon.
    eventTime: formatTimestamp(at).replace("Z", "+0000"),
    action,
    outcome,
    observer: { id: observerId, typeURI: "service/security" },
  };
}

function initiatorView(record: EventRecord, initiator: NamedInitiator): object {
  const { userId, userName, projectId, domainId } = initiator;
  return {
    id: userId === undefined ? namedUuid(record.id, "initiator") : uuidOf(userId),
    typeURI: USER_TYPE,
    host: hostOf(initiator),
    ...(userId !== undefined && { user_id: userId }),
    ...(projectId !== undefined && { project_id: projectId }),
    ...(domainId !== undefined && { domain_id: domainId }),
    ...requestIdsOf(initiator),
    ...(userName !== undefined && { username: userName }),
  };
}

/** The user who logs in, without a scope: there is none yet. */
function loginInitiator(record: EventRecord, { user, federation }: LoginEvent): object {
  const { initiator } = record;
  const isKnown = user !== undefined && "id" in user && user.name !== undefined;
  const id = isKnown ? uuidOf(user.id) : namedUuid(record.id, "initiator");
  return {
    id,
    typeURI: USER_TYPE,
    ...(initiator !== undefined && { host: hostOf(initiator), ...requestIdsOf(initiator) }),
    ...userView(user),
    ...(federation !== undefined && { credential: credentialView(federation) }),
  };
}

function userView(user: LoginEvent["user"]): object {
  if (user === undefined) return {};
  if (!("id" in user)) return { domain_id: user.domainId };
  return user.name === undefined
    ? { user_id: user.id, domain_id: null, domain_name: null }
    : { user_id: user.id, username: user.name };
}

function credentialView({ providerId, userId, groupIds, auditId }: EventFederation): object {
  return {
    token: masked(auditId ?? "unknown"),
    // Also of OpenID Connect.
    type: SAML_TYPE,
    identity_provider: providerId,
    user: userId ?? "unknown",
    groups: groupIds,
  };
}

function hostOf({ address, agent }: NamedInitiator): object {
  return { address, ...(agent !== undefined && { agent }) };
}

function requestIdsOf(initiator: NamedInitiator | undefined): object {
  if (initiator === undefined) return {};
  const { requestId, globalRequestId } = initiator;
  return {
    request_id: requestId,
    ...(globalRequestId !== undefined && { global_request_id: globalRequestId }),
  };
}

/** As pycadf masks credentials: an eighth at each end stays. */
function masked(text: string): string {
  const shown = Math.round(text.length / 8);
  return `${text.slice(0, shown)} xxxxxxxx ${text.slice(-shown)}`;
}

/** The namespace of Keystone's ids that are no UUID. */
const KEYSTONE_NAMESPACE = "4332ecab-770b-4288-a680-b9aca3b1b153";

/** CADF's ids are UUIDs: others, such as those of users in directories, by version 5 of RFC 9562, in hexadecimal digits. */
function uuidOf(id: string): string {
  return /^[0-9a-f]{32}$/i.test(id.replaceAll("-", ""))
    ? id
    : namedUuid(KEYSTONE_NAMESPACE, id).replaceAll("-", "");
}

/** A UUID of version 5 (RFC 9562, 5.5): the same for the same name. */
export function namedUuid(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll("-", ""), "hex");
  const digest = createHash("sha1").update(space).update(name).digest().subarray(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
