/** Users of a provider that no index finds. */
import type { Queries } from "../../platform/database/database.js";
import {
  listProvisionedUsers,
  userIdBehind,
  type ListedProvisionedUser,
} from "../../users/federated/provisioned-user-store.js";
import { SLICE } from "../scim-lists.js";

/** Users that the database looks into at a time: on SQLite, a few milliseconds in which no request is answered. */
const SCANNED = 2000;

/** All users of a provider, in slices in the order of their ids. @param texts Leaves out users whose stored attributes lack one of them. */
export async function* usersWith(
  queries: Queries,
  idpId: string,
  texts: readonly string[],
): AsyncGenerator<readonly ListedProvisionedUser[]> {
  for (let after = "", isLast = false; !isLast;) {
    const upTo = await userIdBehind(queries, idpId, { after, count: SCANNED });
    isLast = upTo === undefined;
    for (let isFull = true; isFull;) {
      const slice = await listProvisionedUsers(queries, idpId, { texts, after, upTo, limit: SLICE });
      yield slice;
      isFull = slice.length === SLICE;
      after = slice.at(-1)?.userId ?? after;
    }
    after = upTo ?? after;
  }
}
