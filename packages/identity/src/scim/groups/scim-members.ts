/** Members of a pushed group: users of the same provider. Others, whom an administrator has added, are neither shown nor changed. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { addMembers, membershipEvent, removeMembers } from "../../groups/membership-store.js";
import type { Queries, Transaction } from "../../platform/database/database.js";
import {
  listProvisionedMembers,
  provisionedIdsAmong,
  type ProvisionedMember,
} from "../../users/federated/provisioned-user-store.js";
import type { Declare } from "../scim-changes.js";
import { ScimValueError } from "../scim-errors.js";
import type { MemberChange } from "./member-changes.js";
import type { ProvisionedGroup } from "./provisioned-group.js";

/** Members of one query: reading more would hold up other requests. */
const PAGE = 250;

type Pages = (read: () => Promise<ProvisionedMember[]>) => Promise<ProvisionedMember[]>;

/** All members, in pages. @param inTurn Reads a page when it may. */
export async function* membersInPages(
  queries: Queries,
  { groupId, idpId }: Pick<ProvisionedGroup, "groupId" | "idpId">,
  inTurn: Pages = (read) => read(),
): AsyncGenerator<readonly ProvisionedMember[]> {
  for (let after = ""; ;) {
    const start = after;
    const page = await inTurn(() =>
      listProvisionedMembers(queries, groupId, { idpId, after: start, limit: PAGE }),
    );
    yield page;
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
    after = last.userId;
    await nextTurn();
  }
}

/** @returns Whether the members changed. Each who joins or leaves is an event. */
export async function changeMembers(
  transaction: Transaction,
  group: Pick<ProvisionedGroup, "groupId" | "idpId">,
  { changes, declare }: { readonly changes: readonly MemberChange[]; readonly declare: Declare },
): Promise<boolean> {
  if (changes.length === 0) return false;
  // Roles of members may change, and those of their tokens.
  declare("facts");
  let isChanged = false;
  for (const change of changes) {
    const { added, removed } = await differenceOf(transaction, group, change);
    await requirePushedUsers(transaction, group, added);
    const joined = await addMembers(transaction, group.groupId, added);
    const left = await removeMembers(transaction, group.groupId, removed);
    for (const userId of joined)
      transaction.publish(membershipEvent({ groupId: group.groupId, userId }, "added"));
    for (const userId of left)
      transaction.publish(membershipEvent({ groupId: group.groupId, userId }, "removed"));
    isChanged ||= joined.length > 0 || left.length > 0;
  }
  return isChanged;
}

async function differenceOf(
  queries: Queries,
  group: Pick<ProvisionedGroup, "groupId" | "idpId">,
  { kind, userIds }: MemberChange,
): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] }> {
  if (kind === "add") return { added: userIds, removed: [] };
  if (kind === "remove")
    return { added: [], removed: [...(await provisionedIdsAmong(queries, group.idpId, userIds))] };
  const former = new Set<string>();
  for await (const page of membersInPages(queries, group)) for (const { userId } of page) former.add(userId);
  return { added: userIds.filter((id) => !former.delete(id)), removed: [...former] };
}

/** @throws {ScimValueError} */
async function requirePushedUsers(
  queries: Queries,
  { idpId }: Pick<ProvisionedGroup, "idpId">,
  ids: readonly string[],
): Promise<void> {
  const known = await provisionedIdsAmong(queries, idpId, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new ScimValueError(`Member ${unknown.slice(0, 100)} is no user that this provider has pushed.`);
}
