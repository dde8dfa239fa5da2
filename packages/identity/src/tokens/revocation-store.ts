/** Revocation events in the database. */
import type { Selectable } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { RevocationEvent } from "./revocation.js";

interface RevocationRow {
  id: string;
  audit_id: string | null;
  audit_chain_id: string | null;
  user_id: string | null;
  project_id: string | null;
  role_id: string | null;
  domain_scope_id: string | null;
  domain_id: string | null;
  identity_provider_id: string | null;
  protocol_id: string | null;
  expires_at: Moment | null;
  issued_before: Moment;
  revoked_at: Moment;
}

interface Tables {
  readonly revocation_event: RevocationRow;
}

/** Columns of the features that an event may name. */
const COLUMNS = {
  auditId: "audit_id",
  auditChainId: "audit_chain_id",
  userId: "user_id",
  projectId: "project_id",
  roleId: "role_id",
  domainScopeId: "domain_scope_id",
  domainId: "domain_id",
  identityProviderId: "identity_provider_id",
  protocolId: "protocol_id",
  expiresAt: "expires_at",
} as const;

export async function insertEvent(queries: Queries, id: string, event: RevocationEvent): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("revocation_event")
    .values({
      id,
      audit_id: event.auditId ?? null,
      audit_chain_id: event.auditChainId ?? null,
      user_id: event.userId ?? null,
      project_id: event.projectId ?? null,
      role_id: event.roleId ?? null,
      domain_scope_id: event.domainScopeId ?? null,
      domain_id: event.domainId ?? null,
      identity_provider_id: event.identityProviderId ?? null,
      protocol_id: event.protocolId ?? null,
      expires_at: event.expiresAt ?? null,
      issued_before: event.issuedBefore,
      revoked_at: event.revokedAt,
    })
    .execute();
}

/** Events that came to be at a moment or later. */
export async function eventsSince(queries: Queries, moment: Moment): Promise<RevocationEvent[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("revocation_event")
    .selectAll()
    .where("revoked_at", ">=", moment)
    .execute();
  return rows.map(toEvent);
}

/** Removes events that can't concern any token, because those were issued before this moment. */
export async function deleteEventsBefore(queries: Queries, moment: Moment): Promise<void> {
  await queries.tables<Tables>().deleteFrom("revocation_event").where("revoked_at", "<", moment).execute();
}

function toEvent(row: Selectable<RevocationRow>): RevocationEvent {
  const named = Object.entries(COLUMNS)
    .map(([feature, column]) => [feature, row[column]] as const)
    .filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(named) as Omit<RevocationEvent, "issuedBefore" | "revokedAt">),
    issuedBefore: row.issued_before,
    revokedAt: row.revoked_at,
  };
}
