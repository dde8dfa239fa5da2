/** Revocation events of a Keystone, so that its revoked tokens stay revoked, and their way back. */
import { createHash } from "node:crypto";

import {
  existingEventIds,
  type IdentifiedEvent,
  insertEvents,
  type Moment,
  nextPosition,
  type Queries,
  type RevocationEvent,
} from "@hamkit/identity/import-support/storage";

import { timeText } from "./source/source-values.js";
import type { ReturnedTable } from "./table-transfer.js";

/** A time of the database: `2026-11-22 06:03:54` in UTC, or read by the driver. */
export type KeystoneTime = string | Date;

/** A row of Keystone's table `revocation_event`. */
export interface KeystoneRevocationEvent {
  readonly id?: string;
  readonly audit_id?: string | null;
  readonly audit_chain_id?: string | null;
  readonly user_id?: string | null;
  readonly project_id?: string | null;
  readonly domain_id?: string | null;
  readonly role_id?: string | null;
  readonly trust_id?: string | null;
  readonly consumer_id?: string | null;
  readonly access_token_id?: string | null;
  readonly issued_before: KeystoneTime;
  readonly expires_at?: KeystoneTime | null;
  readonly revoked_at: KeystoneTime;
}

export interface RevocationImportOptions {
  readonly now: Moment;
  /** The lifetime of Keystone's tokens. */
  readonly lifetimeMs: number;
}

export interface RevocationImportResult {
  readonly imported: number;
  /** Every token that they could revoke has expired. */
  readonly expired: number;
  /** Imported before. */
  readonly known: number;
}

/**
 * Writes the events that may still revoke tokens, in the order of the rows, in a transaction with
 * `changes: ["facts", "revocations"]`. Call it before `importFernetKeys`.
 *
 * @throws {RangeError} A time is invalid.
 */
export async function importRevocationEvents(
  transaction: Queries,
  rows: readonly KeystoneRevocationEvent[],
  { now, lifetimeMs }: RevocationImportOptions,
): Promise<RevocationImportResult> {
  const effective = rows.filter((row) => momentOf(row.issued_before) + lifetimeMs > now);
  const events = identified(effective.map(toEvent));
  const existing = await existingEventIds(transaction, [...events.keys()]);
  const added = [...events].filter(([id]) => !existing.has(id));
  await insertEvents(transaction, await withPositions(transaction, added, now));
  return {
    imported: added.length,
    expired: rows.length - effective.length,
    known: effective.length - added.length,
  };
}

/** The column of a row that holds no time, such as MariaDB's zero date; `undefined` if all can be read. */
export function timeFault(
  row: KeystoneRevocationEvent,
): { readonly column: string; readonly row: string } | undefined {
  const { id = "", issued_before, expires_at, revoked_at } = row;
  const times = { issued_before, revoked_at, expires_at: expires_at ?? issued_before };
  const [column, value] =
    Object.entries(times).find(([, time]) => time === null || Number.isNaN(parsed(time))) ?? [];
  return column === undefined ? undefined : { column, row: `${id} (${JSON.stringify(value)})` };
}

async function withPositions(
  transaction: Queries,
  events: readonly (readonly [string, RevocationEvent])[],
  now: Moment,
): Promise<IdentifiedEvent[]> {
  if (events.length === 0) return [];
  const last = await nextPosition(transaction, now, events.length);
  const first = last - events.length + 1;
  return events.map(([id, event], index) => ({ id, event: { ...event, position: first + index } }));
}

function toEvent(row: KeystoneRevocationEvent): RevocationEvent {
  const expiry = row.expires_at ?? undefined;
  return {
    ...named("auditId", row.audit_id),
    ...named("auditChainId", row.audit_chain_id),
    ...named("userId", row.user_id),
    ...named("trustId", row.trust_id),
    ...named("accessTokenId", row.access_token_id),
    ...named("consumerId", row.consumer_id),
    ...named("projectId", row.project_id),
    ...named("roleId", row.role_id),
    // With an expiry, Keystone means tokens for the domain itself.
    ...named(expiry === undefined ? "domainId" : "domainScopeId", row.domain_id),
    ...(expiry !== undefined && { expiresAt: momentOf(expiry) }),
    issuedBefore: momentOf(row.issued_before),
    revokedAt: momentOf(row.revoked_at),
  };
}

function named(name: keyof RevocationEvent, value: string | null | undefined): Partial<RevocationEvent> {
  return (value ?? undefined) === undefined ? {} : { [name]: value };
}

/** The events by ids that depend on their content: the same event has the same id in each import. */
function identified(events: readonly RevocationEvent[]): Map<string, RevocationEvent> {
  const byId = new Map<string, RevocationEvent>();
  for (const event of events) {
    let repeats = 0;
    while (byId.has(idOf(event, repeats))) repeats++;
    byId.set(idOf(event, repeats), event);
  }
  return byId;
}

function idOf(event: RevocationEvent, repeats: number): string {
  const content = JSON.stringify([event, repeats]);
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}

function parsed(time: KeystoneTime): Moment {
  return time instanceof Date ? time.getTime() : Date.parse(`${time.trim().replace(" ", "T")}Z`);
}

/** @throws {RangeError} */
function momentOf(time: KeystoneTime): Moment {
  const moment = parsed(time);
  if (Number.isNaN(moment))
    throw new RangeError(`"${String(time)}" is not a time such as 2026-11-22 06:03:54`);
  return moment;
}

const SECOND_MS = 1000;

/** The way back: tokens that the Keystone issued, and that were revoked here, stay revoked there. */
export const returnedEvents: ReturnedTable = {
  from: "revocation_event",
  columns: ["audit_id", "audit_chain_id", "user_id", "project_id", "role_id", "trust_id"],
  to: "revocation_event",
  key: ["id"],
  back: {
    change(row, { leaveOut }) {
      if (row["identity_provider_id"] !== null || row["protocol_id"] !== null)
        return leaveOut("identity_provider_id", "Keystone has no revocation of all tokens of a provider");
      return {
        domain_id: (row["domain_id"] ?? row["domain_scope_id"] ?? null) as string | null,
        expires_at: timeText(row["expires_at"]),
        // Keystone's whole seconds: up, so that no revoked token is valid again.
        issued_before: timeText(Math.ceil(Number(row["issued_before"]) / SECOND_MS) * SECOND_MS),
        revoked_at: timeText(row["revoked_at"]),
      };
    },
  },
};
