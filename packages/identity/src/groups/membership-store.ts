/** Memberships of users in groups: permanent ones, and those that a federated login grants until a moment. */
import { sql, type RawBuilder } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { MAX_IDS } from "../platform/database/table.js";
import type { ResourceEvent } from "../platform/events.js";

interface Tables {
  readonly group_member: { group_id: string; user_id: string };
  readonly federated_group_member: { group_id: string; user_id: string; expires_at: Moment };
  readonly group: { id: string };
}

export interface Membership {
  readonly groupId: string;
  readonly userId: string;
}

/** That a user joined or left a group. */
export function membershipEvent(
  { groupId, userId }: Membership,
  operation: "added" | "removed",
): ResourceEvent {
  return { resource: "group", operation: "updated", id: groupId, member: { userId, operation } };
}

/** The ids of the groups of a user at a moment, as a subquery. */
export function groupIdsOfUser(userId: string, now: Moment): RawBuilder<string> {
  return sql<string>`(
    select group_id from group_member where user_id = ${userId}
    union
    select group_id from federated_group_member where user_id = ${userId} and expires_at > ${now})`;
}

/** The ids of the groups of which a user is a permanent member, as a subquery. */
export function permanentGroupIdsOf(userId: string): RawBuilder<string> {
  return sql<string>`(select group_id from group_member where user_id = ${userId})`;
}

/** The ids of the users in a group at a moment, as a subquery. */
export function userIdsInGroup(groupId: string, now: Moment): RawBuilder<string> {
  return sql<string>`(
    select user_id from group_member where group_id = ${groupId}
    union
    select user_id from federated_group_member where group_id = ${groupId} and expires_at > ${now})`;
}

/** The ids of the groups of which a user is a permanent member. */
export async function groupIdsOf(queries: Queries, userId: string): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("group_member")
    .select("group_id")
    .where("user_id", "=", userId)
    .orderBy("group_id")
    .execute();
  return rows.map(({ group_id }) => group_id);
}

/** The numbers of users in groups at a moment, by the ids of the groups. */
export async function countMembers(
  queries: Queries,
  groupIds: readonly string[],
  now: Moment,
): Promise<Map<string, number>> {
  const counts = new Map(groupIds.map((id) => [id, 0]));
  for (let at = 0; at < groupIds.length; at += MAX_IDS / 2) {
    const ids = groupIds.slice(at, at + MAX_IDS / 2);
    const tables = queries.tables<Tables>();
    const members = tables
      .selectFrom("group_member")
      .select(["group_id", "user_id"])
      .where("group_id", "in", ids)
      .union(
        tables
          .selectFrom("federated_group_member")
          .select(["group_id", "user_id"])
          .where("group_id", "in", ids)
          .where("expires_at", ">", now),
      );
    const rows = await tables
      .selectFrom(members.as("member"))
      .select(["group_id", sql<number | string>`count(*)`.as("count")])
      .groupBy("group_id")
      .execute();
    for (const { group_id: id, count } of rows) counts.set(id, Number(count));
  }
  return counts;
}

/** The ids of the permanent members of a group. */
export async function permanentMemberIds(queries: Queries, groupId: string): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("group_member")
    .select("user_id")
    .where("group_id", "=", groupId)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Whether a user is in a group at a moment. */
export async function isMember(
  queries: Queries,
  { groupId, userId }: Membership,
  moment: Moment,
): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("group")
    .select("id")
    .where("id", "=", groupId)
    .where("id", "in", groupIdsOfUser(userId, moment))
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds a permanent member; a no-op for one that exists. */
export async function addMember(queries: Queries, { groupId, userId }: Membership): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("group_member")
    .values({ group_id: groupId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Members of one statement. */
const MAX_MEMBERS = 250;

/** Adds permanent members in few statements; those that exist stay. @returns The ids of those who were none. */
export async function addMembers(
  queries: Queries,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const added: string[] = [];
  for (let at = 0; at < userIds.length; at += MAX_MEMBERS) {
    const rows = await queries
      .tables<Tables>()
      .insertInto("group_member")
      .values(userIds.slice(at, at + MAX_MEMBERS).map((user_id) => ({ group_id: groupId, user_id })))
      .onConflict((conflict) => conflict.doNothing())
      .returning("user_id")
      .execute();
    for (const { user_id: userId } of rows) added.push(userId);
  }
  return added;
}

/** Removes permanent members in few statements. @returns The ids of those who were members. */
export async function removeMembers(
  queries: Queries,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const removed: string[] = [];
  for (let at = 0; at < userIds.length; at += MAX_MEMBERS) {
    const rows = await queries
      .tables<Tables>()
      .deleteFrom("group_member")
      .where("group_id", "=", groupId)
      .where("user_id", "in", userIds.slice(at, at + MAX_MEMBERS))
      .returning("user_id")
      .execute();
    for (const { user_id: userId } of rows) removed.push(userId);
  }
  return removed;
}

/** Replaces the permanent memberships of a user. @returns Whether they changed. */
export async function replaceMemberships(
  queries: Queries,
  userId: string,
  groupIds: readonly string[],
): Promise<boolean> {
  const former = new Set(await groupIdsOf(queries, userId));
  const added = groupIds.filter((id) => !former.delete(id));
  for (const groupId of added) await addMember(queries, { groupId, userId });
  for (const groupId of former) await removeMember(queries, { groupId, userId });
  return added.length > 0 || former.size > 0;
}

/** Replaces the permanent members of a group. @returns Whether they changed. */
export async function replaceMembers(
  queries: Queries,
  groupId: string,
  userIds: readonly string[],
): Promise<boolean> {
  const former = new Set(await permanentMemberIds(queries, groupId));
  const added = userIds.filter((id) => !former.delete(id));
  for (const userId of added) await addMember(queries, { groupId, userId });
  for (const userId of former) await removeMember(queries, { groupId, userId });
  return added.length > 0 || former.size > 0;
}

/** Removes a permanent member. @returns Whether it existed. */
export async function removeMember(queries: Queries, { groupId, userId }: Membership): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("group_member")
    .where("group_id", "=", groupId)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The ids of the users in each of these groups at a moment, by group; `undefined` for more than {@link MAX_IDS}. */
export async function membersOf(
  queries: Queries,
  groupIds: readonly string[],
  now: Moment,
): Promise<Map<string, string[]> | undefined> {
  if (groupIds.length === 0) return new Map();
  const rows = await memberRows(queries, groupIds, now)
    .orderBy("user_id")
    .limit(MAX_IDS + 1)
    .execute();
  if (rows.length > MAX_IDS) return undefined;
  const members = new Map(groupIds.map((id) => [id, [] as string[]]));
  for (const row of rows) members.get(row.group_id)?.push(row.user_id);
  return members;
}

/** The first {@link MAX_IDS} ids of users in a group at a moment, from an id on. */
export async function memberIds(
  queries: Queries,
  { groupId, now, from }: { readonly groupId: string; readonly now: Moment; readonly from: string },
): Promise<string[]> {
  const rows = await memberRows(queries, [groupId], now, from).orderBy("user_id").limit(MAX_IDS).execute();
  return rows.map(({ user_id }) => user_id);
}

function memberRows(queries: Queries, groupIds: readonly string[], now: Moment, from = "") {
  const tables = queries.tables<Tables>();
  const permanent = tables
    .selectFrom("group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds)
    .where("user_id", ">=", from);
  const expiring = tables
    .selectFrom("federated_group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds)
    .where("user_id", ">=", from)
    .where("expires_at", ">", now);
  return permanent.union(expiring);
}

/** The expiries of a user's expiring memberships, past or future, by group. */
export async function expiringMemberships(queries: Queries, userId: string): Promise<Map<string, Moment>> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("federated_group_member")
    .select(["group_id", "expires_at"])
    .where("user_id", "=", userId)
    .orderBy("group_id")
    .execute();
  return new Map(rows.map(({ group_id, expires_at }) => [group_id, expires_at]));
}

/** Groups and the common expiry of a user's memberships in them. */
export interface ExpiringMemberships {
  readonly groupIds: readonly string[];
  readonly expiresAt: Moment;
}

/** Replaces the user's expiring memberships. */
export async function replaceExpiringMemberships(
  queries: Queries,
  userId: string,
  memberships: ExpiringMemberships,
): Promise<void> {
  await queries.tables<Tables>().deleteFrom("federated_group_member").where("user_id", "=", userId).execute();
  await insertExpiringMemberships(queries, userId, memberships);
}

/** For a user without expiring memberships. */
export async function insertExpiringMemberships(
  queries: Queries,
  userId: string,
  { groupIds, expiresAt }: ExpiringMemberships,
): Promise<void> {
  if (groupIds.length > 0)
    await queries
      .tables<Tables>()
      .insertInto("federated_group_member")
      .values(groupIds.map((group_id) => ({ group_id, user_id: userId, expires_at: expiresAt })))
      .execute();
}

/** Memberships that are deleted at a time. */
const MAX_DELETED_MEMBERSHIPS = 200;

/**
 * Deletes some of the expiring memberships that ended in a period.
 *
 * @param options.after Later than the end of those that last as long as a token.
 * @returns Whether there may be more.
 */
export async function deleteEndedMemberships(
  queries: Queries,
  { after, before }: { readonly after: Moment; readonly before: Moment },
): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from federated_group_member where (group_id, user_id) in (
    select group_id, user_id from federated_group_member where expires_at > ${after} and expires_at < ${before}
    limit ${sql.lit(MAX_DELETED_MEMBERSHIPS)})`.execute(queries.tables());
  return Number(numAffectedRows) === MAX_DELETED_MEMBERSHIPS;
}
