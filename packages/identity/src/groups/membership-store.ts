/** Who is in which group. */
import { groupIdsOfUser } from "./current-members.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

interface Tables {
  readonly group_member: { group_id: string; user_id: string };
  readonly group: { id: string };
}

/** A user in a group. */
export interface Membership {
  readonly groupId: string;
  readonly userId: string;
}

/** The groups in which the user is to stay. */
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

/** Whether the user is in the group at a moment. */
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

/** Adds a member; nothing changes if it is one. */
export async function addMember(queries: Queries, { groupId, userId }: Membership): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("group_member")
    .values({ group_id: groupId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether it was removed: not if it was no member. */
export async function removeMember(queries: Queries, { groupId, userId }: Membership): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("group_member")
    .where("group_id", "=", groupId)
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
