/** Who is in groups at a moment: the lasting members, and those whom an identity provider has vouched for until later. */
import { sql, type RawBuilder } from "kysely";

import type { Moment } from "../platform/clock.js";

/** The ids of the groups that a user is in, as a subquery. */
export function groupIdsOfUser(userId: string, now: Moment): RawBuilder<string> {
  return sql<string>`(
    select group_id from group_member where user_id = ${userId}
    union
    select group_id from federated_group_member where user_id = ${userId} and expires_at > ${now})`;
}

/** The ids of the users who are in a group, as a subquery. */
export function userIdsInGroup(groupId: string, now: Moment): RawBuilder<string> {
  return sql<string>`(
    select user_id from group_member where group_id = ${groupId}
    union
    select user_id from federated_group_member where group_id = ${groupId} and expires_at > ${now})`;
}
