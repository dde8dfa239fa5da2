/** Shadow users and federated identities in the database. */
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { deleteInSlices } from "../../platform/database/delete-in-slices.js";
import type { ShadowUsersOf } from "../../identity-providers/shadow-user-deletion.js";
import { selectUsers, toUser, type FederatedIdentity, type User } from "../user-store.js";

interface FederatedRow {
  idp_id: string;
  protocol_id: string;
  unique_id: string;
  user_id: string;
  last_login_at: Moment | null;
  /** `null` where release 0.2.0 has stored it: the id may be a rounded number. */
  is_exact: boolean | null;
}

interface Tables {
  readonly federated_user: FederatedRow;
  readonly protocol: { idp_id: string; id: string };
}

export interface KnownIdentity {
  readonly userId: string;
  /** The day of the last login of a workload, by any moment of it; `null` for other users. */
  readonly lastLoginAt: Moment | null;
  /** Whether the id is what the provider sends: release 0.2.0 has rounded large numbers. */
  readonly isExact: boolean;
}

export async function findIdentity(
  queries: Queries,
  { idpId, protocolId, uniqueId }: FederatedIdentity,
): Promise<KnownIdentity | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select(["user_id", "last_login_at", "is_exact"])
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("unique_id", "=", uniqueId)
    .executeTakeFirst();
  return row && { userId: row.user_id, lastLoginAt: row.last_login_at, isExact: row.is_exact !== null };
}

/** The user of an id at a provider, by any protocol, where release 0.2.0 has stored it. */
export async function findInexactIdentity(
  queries: Queries,
  { idpId, uniqueId }: FederatedIdentity,
): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .innerJoin("protocol", (join) =>
      // The index of identities begins with provider and protocol.
      join.on("protocol.idp_id", "=", idpId).onRef("protocol.id", "=", "federated_user.protocol_id"),
    )
    .select("user_id")
    .where("federated_user.idp_id", "=", idpId)
    .where("unique_id", "=", uniqueId)
    .where("is_exact", "is", null)
    .executeTakeFirst();
  return row?.user_id;
}

/** The ids of the users who have an id at a provider, by any protocol. */
export async function userIdsOfUniqueId(
  queries: Queries,
  { idpId, uniqueId }: Pick<FederatedIdentity, "idpId" | "uniqueId">,
): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .innerJoin("protocol", (join) =>
      // As above.
      join.on("protocol.idp_id", "=", idpId).onRef("protocol.id", "=", "federated_user.protocol_id"),
    )
    .select("user_id")
    .distinct()
    .where("federated_user.idp_id", "=", idpId)
    .where("unique_id", "=", uniqueId)
    .execute();
  return rows.map(({ user_id: userId }) => userId);
}

/** Identities that release 0.2.0 has stored, with ids that contain a number as it prints large ones, by provider. */
export async function inexactIdentities(
  queries: Queries,
): Promise<(FederatedIdentity & { readonly userId: string })[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .selectAll()
    .where("is_exact", "is", null)
    .where("last_login_at", "is", null)
    .orderBy("idp_id")
    .orderBy("unique_id")
    .execute();
  return rows.map((row) => ({
    idpId: row.idp_id,
    protocolId: row.protocol_id,
    uniqueId: row.unique_id,
    userId: row.user_id,
  }));
}

/** The federated identities of users, in the order of providers and protocols. */
export async function identitiesOf(
  queries: Queries,
  userIds: readonly string[],
): Promise<Map<string, FederatedIdentity[]>> {
  const identities = new Map<string, FederatedIdentity[]>();
  if (userIds.length === 0) return identities;
  const rows = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .selectAll()
    .where("user_id", "in", userIds)
    .orderBy("idp_id")
    .orderBy("protocol_id")
    .execute();
  for (const row of rows)
    identities.set(row.user_id, [
      ...(identities.get(row.user_id) ?? []),
      { idpId: row.idp_id, protocolId: row.protocol_id, uniqueId: row.unique_id },
    ]);
  return identities;
}

/** The number of users who log in through a provider. */
export async function countUsersOf(queries: Queries, idpId: string): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select(({ fn }) => fn.count("user_id").distinct().as("count"))
    .where("idp_id", "=", idpId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertIdentity(
  queries: Queries,
  userId: string,
  {
    idpId,
    protocolId,
    uniqueId,
    lastLoginAt = null,
  }: FederatedIdentity & Partial<Pick<KnownIdentity, "lastLoginAt">>,
): Promise<void> {
  const identity = { idp_id: idpId, protocol_id: protocolId, unique_id: uniqueId };
  await queries
    .tables<Tables>()
    .insertInto("federated_user")
    .values({ ...identity, user_id: userId, last_login_at: lastLoginAt, is_exact: true })
    .execute();
}

export async function deleteIdentity(
  queries: Queries,
  { idpId, protocolId, uniqueId }: FederatedIdentity,
): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("federated_user")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("unique_id", "=", uniqueId)
    .execute();
}

/** Deletes all federated identities of a user. */
export async function deleteIdentitiesOf(queries: Queries, userId: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("federated_user").where("user_id", "=", userId).execute();
}

/** Rows of one DELETE statement. */
const MAX_DELETED_IDENTITIES = 500;

/** Deletes identities. @returns The ids of users who have none left. */
export async function deleteIdentities(
  queries: Queries,
  { identityProviderId, protocolId }: ShadowUsersOf,
): Promise<string[]> {
  const tables = queries.tables<Tables>();
  const userIds = new Set<string>();
  await deleteInSlices(MAX_DELETED_IDENTITIES, async () => {
    let some = tables
      .selectFrom("federated_user")
      .select(["protocol_id", "unique_id"])
      .where("idp_id", "=", identityProviderId)
      .limit(MAX_DELETED_IDENTITIES);
    if (protocolId !== undefined) some = some.where("protocol_id", "=", protocolId);
    const rows = await tables
      .deleteFrom("federated_user")
      .where("idp_id", "=", identityProviderId)
      .where((eb) =>
        eb(eb.refTuple("protocol_id", "unique_id"), "in", some.$asTuple("protocol_id", "unique_id")),
      )
      .returning("user_id")
      .execute();
    for (const { user_id: userId } of rows) userIds.add(userId);
    return rows.length;
  });
  return withoutIdentity(queries, userIds);
}

/** Those of the users who have no identity. */
export async function withoutIdentity(queries: Queries, userIds: ReadonlySet<string>): Promise<string[]> {
  const tables = queries.tables<Tables>();
  const lost: string[] = [];
  for (const userId of [...userIds].toSorted()) {
    const other = await tables
      .selectFrom("federated_user")
      .select("user_id")
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (other === undefined) lost.push(userId);
  }
  return lost;
}

export async function findShadowUser(queries: Queries, id: string): Promise<User | undefined> {
  const row = await selectUsers(queries)
    .where("user.id", "=", id)
    .where("user.is_federated", "=", true)
    .executeTakeFirst();
  return row && toUser(row);
}
