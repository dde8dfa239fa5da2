/**
 * Users of workloads: bounded in number per protocol, and deleted when unused, since an issuer may name a new subject for every branch.
 */
import type { Platform } from "../../area.js";
import { USERS_END } from "../../identity-providers/shadow-user-deletion.js";
import { DAY_MS, isSameDay, type Clock, type Moment } from "../../platform/clock.js";
import type { Queries, Transaction } from "../../platform/database/database.js";
import { deleteInSlices } from "../../platform/database/delete-in-slices.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import type { FederatedIdentity } from "../user-store.js";
import { withoutIdentity, type KnownIdentity } from "./shadow-user-store.js";

/** Users deleted in one transaction: a long one would conflict with all first logins at other processes, and fail. */
const MAX_DELETED_USERS = 20;

/** The protocol has as many users of workloads as it may. */
export class TooManyWorkloadsError extends Error {
  override readonly name = "TooManyWorkloadsError";
}

/** An identity of a login; of another kind than a workload's, without the bound. */
export interface LoginIdentity extends FederatedIdentity {
  /** How many workloads may be users of the protocol. */
  readonly maxWorkloads?: number;
  /** The id that release 0.2.0 made of it, which rounded large numbers; absent where it contains no such number. */
  readonly roundedId?: string;
}

/** @throws {TooManyWorkloadsError} */
export async function requireRoom(
  transaction: Queries,
  { maxWorkloads, ...protocol }: LoginIdentity,
): Promise<void> {
  if (maxWorkloads !== undefined && (await countWorkloads(transaction, protocol)) >= maxWorkloads)
    throw new TooManyWorkloadsError();
}

/** What {@link noteLogin} changes. */
export const NOTED_LOGIN = { action: "update", resource: "last login" } as const;

/** Stores the day of a workload's login. */
export function noteLogin(known: KnownIdentity | undefined, wanted: LoginIdentity, now: Moment) {
  if (wanted.maxWorkloads === undefined) return { steps: [], validUntil: Infinity };
  const validUntil = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  // A new identity is inserted with it; `null` belongs to a user of another kind of login.
  const isNoted = known === undefined || known.lastLoginAt === null || isSameDay(known.lastLoginAt, now);
  if (isNoted) return { steps: [], validUntil };
  const run = (transaction: Queries) => setLastLogin(transaction, wanted, now);
  return { steps: [{ effect: NOTED_LOGIN, changes: [] as const, run }], validUntil };
}

export interface UnusedWorkloadsDeps extends Pick<Platform, "database" | "clock"> {
  readonly revokeTokens: RevokeTokens;
  /** Deletes those of the users whom logins have created. */
  readonly endUsers: (transaction: Transaction, userIds: readonly string[]) => Promise<void>;
}

/** Workloads of a protocol that are unused for longer than a number of days. */
export interface UnusedWorkloads extends IdentityProtocol {
  readonly unusedDays: number;
}

/** Whether {@link deleteUnusedWorkloads} would delete any. */
export function hasUnusedWorkloads(
  { database, clock }: Pick<UnusedWorkloadsDeps, "database" | "clock">,
  { unusedDays, ...protocol }: UnusedWorkloads,
): Promise<boolean> {
  return hasUnusedIdentities(database, { ...protocol, before: unusedSince(clock, unusedDays), limit: 1 });
}

function unusedSince(clock: Clock, days: number): Moment {
  return (Math.floor(clock.now() / DAY_MS) - days) * DAY_MS;
}

/** Deletes the users of unused workloads, unless they have another identity. @returns The number of deleted identities. */
export async function deleteUnusedWorkloads(
  { database, clock, revokeTokens, endUsers }: UnusedWorkloadsDeps,
  { unusedDays, ...protocol }: UnusedWorkloads,
): Promise<number> {
  const unused = { ...protocol, before: unusedSince(clock, unusedDays), limit: MAX_DELETED_USERS };
  let total = 0;
  await deleteInSlices(MAX_DELETED_USERS, async () => {
    const deleted = await database.transaction(async (transaction) => {
      const userIds = await deleteUnusedIdentities(transaction, unused);
      const lost = await withoutIdentity(transaction, new Set(userIds));
      await endUsers(transaction, lost);
      // The same subject may log in again: what was issued to the deleted user stays revoked.
      for (const userId of lost) await revokeTokens(transaction, { userId });
      return userIds.length;
    }, USERS_END);
    total += deleted;
    return deleted;
  });
  return total;
}

interface Tables {
  readonly federated_user: {
    idp_id: string;
    protocol_id: string;
    unique_id: string;
    user_id: string;
    last_login_at: Moment | null;
  };
}

/** A protocol of a provider. */
type IdentityProtocol = Pick<FederatedIdentity, "idpId" | "protocolId">;

/** The number of a protocol's workloads that are users. */
async function countWorkloads(queries: Queries, { idpId, protocolId }: IdentityProtocol): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("last_login_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function setLastLogin(
  queries: Queries,
  { idpId, protocolId, uniqueId }: FederatedIdentity,
  moment: Moment,
): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("federated_user")
    .set({ last_login_at: moment })
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("unique_id", "=", uniqueId)
    .execute();
}

/** Workloads of a protocol whose last login was before a moment. */
export interface UnusedIdentities extends IdentityProtocol {
  readonly before: Moment;
  /** Of these. */
  readonly limit: number;
}

function selectUnused(queries: Queries, { idpId, protocolId, before, limit }: UnusedIdentities) {
  return queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select("unique_id")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("last_login_at", "<", before)
    .limit(limit);
}

async function hasUnusedIdentities(queries: Queries, unused: UnusedIdentities): Promise<boolean> {
  return (await selectUnused(queries, unused).executeTakeFirst()) !== undefined;
}

/** Deletes some. @returns The ids of their users. */
async function deleteUnusedIdentities(queries: Queries, unused: UnusedIdentities): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .deleteFrom("federated_user")
    .where("idp_id", "=", unused.idpId)
    .where("protocol_id", "=", unused.protocolId)
    .where("unique_id", "in", selectUnused(queries, unused))
    .returning("user_id")
    .execute();
  return rows.map(({ user_id: userId }) => userId);
}
