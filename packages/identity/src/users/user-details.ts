/** What lists of users have in addition to Keystone's, if asked for: where each account comes from, and when it was active last. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

export interface UserDetails {
  /** `federated` for an account that a provider's login created; a local one may be linked to providers too. */
  readonly source: "local" | "federated" | "directory";
  /** The providers whose logins lead to the account. */
  readonly idpIds: readonly string[];
  /** Of the first login of a day, or of the enabling by an administrator; `null` if none is known. */
  readonly lastActiveAt: Moment | null;
}

interface Tables {
  readonly user: { id: string; is_federated: boolean; last_active_at: Moment | null };
  readonly nonlocal_user: { user_id: string };
  readonly federated_user: { user_id: string; idp_id: string };
}

/** Users of one statement. */
const MAX_USERS = 500;

/** Of these users, by id; those of a directory that have no row yet are left out. */
export async function userDetails(
  queries: Queries,
  users: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, UserDetails>> {
  const found = new Map<string, UserDetails & { readonly idpIds: string[] }>();
  for (let at = 0; at < users.length; at += MAX_USERS)
    for (const { id, idp_id: idpId, ...row } of await readRows(
      queries,
      users.slice(at, at + MAX_USERS).map((user) => user.id),
    )) {
      const source = row.directory_user !== null ? "directory" : row.is_federated ? "federated" : "local";
      const details = found.get(id) ?? { source, idpIds: [], lastActiveAt: row.last_active_at };
      if (idpId !== null && !details.idpIds.includes(idpId)) details.idpIds.push(idpId);
      found.set(id, details);
    }
  return found;
}

/** One row for each user and identity at a provider. */
function readRows(queries: Queries, ids: readonly string[]) {
  return queries
    .tables<Tables>()
    .selectFrom("user")
    .leftJoin("nonlocal_user", "nonlocal_user.user_id", "user.id")
    .leftJoin("federated_user", "federated_user.user_id", "user.id")
    .select(["user.id", "user.is_federated", "user.last_active_at"])
    .select(["federated_user.idp_id", "nonlocal_user.user_id as directory_user"])
    .where("user.id", "in", ids)
    .orderBy("federated_user.idp_id")
    .execute();
}
