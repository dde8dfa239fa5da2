/** What `hamkit-identity users clear-mfa-rules` does: the way back in for users whose rules can't be satisfied. */
import type { Config } from "../config.js";
import { changedOptions } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { findUser, findUserByName, updateUser, type User } from "../users/user-store.js";
import { openWithStep } from "./open-migrated.js";

/** A user, as an operator names one. */
export interface NamedUser {
  /** Id or name. */
  readonly user: string;
  /** Id or name of the domain, for a user by name. */
  readonly domain: string;
}

interface Tables {
  readonly project: { id: string; name: string; is_domain: boolean };
}

/**
 * Deletes the multi-factor rules of a user. Also in a database that this release has not migrated yet, so that nobody is locked
 * out by an upgrade.
 *
 * @returns What was done.
 */
export async function clearMultiFactorRules(config: Config, named: NamedUser): Promise<string> {
  const database = await openWithStep(config.databaseUrl, "0002-users");
  try {
    return await database.transaction((transaction) => clear(transaction, named), { changes: ["facts"] });
  } finally {
    await database.close();
  }
}

async function clear(transaction: Queries, named: NamedUser): Promise<string> {
  const user = await requireUser(transaction, named);
  const who = `The user ${user.name} (${user.id})`;
  const rules = user.options.multi_factor_auth_rules ?? [];
  if (rules.length === 0) return `${who} has no multi-factor rules.`;
  const options = changedOptions(user.options, { multi_factor_auth_rules: null });
  await updateUser(transaction, { ...user, options });
  return `${who} has no multi-factor rules any more; they were ${JSON.stringify(rules)}.`;
}

async function requireUser(queries: Queries, { user, domain }: NamedUser): Promise<User> {
  const byId = await findUser(queries, user);
  if (byId !== undefined) return byId;
  const domainId = await findDomainId(queries, domain);
  const byName = domainId === undefined ? undefined : await findUserByName(queries, { name: user, domainId });
  if (byName === undefined)
    throw new Error(`There is no user with the id "${user}", nor with that name in the domain "${domain}"`);
  return byName;
}

async function findDomainId(queries: Queries, domain: string): Promise<string | undefined> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select(["id"])
    .where("is_domain", "=", true)
    .where((row) => row.or([row("id", "=", domain), row("name", "=", domain)]))
    .execute();
  return (rows.find(({ id }) => id === domain) ?? rows[0])?.id;
}
