/** `hamkit-identity users`: ends sessions, resets factors, helps users whose multi-factor rules can't be satisfied, or whose domain is configured for a directory. */
import type { Command } from "commander";

import type { Config } from "../config.js";
import { deleteConfig, listForeignDrivers } from "../domain-config/domain-config-store.js";
import type { Queries } from "../platform/database/database.js";
import { changedOptions, parseAttributes } from "../platform/attributes.js";
import type { UserOptions } from "../users/user-options.js";
import { DEFAULT_DOMAIN_ID } from "../policy/caller.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import type { UserAccess, UserReference } from "./user-access.js";
import { openWithStep } from "./open-migrated.js";

interface ClearOptions extends SettingsOptions {
  readonly domain: string;
}

/** What the API and the console do, too. */
const ACCESS: Readonly<Record<UserAccess, string>> = {
  sessions: "List the sessions of a user, with device and last use.",
  "end-session": "End one session of a user, and revoke its tokens.",
  "end-sessions": "End all sessions of a user, and revoke all its tokens.",
  "reset-passkeys": "Delete all passkeys of a user, and revoke all its tokens.",
  "reset-one-time-codes": "Delete the secrets of a user's one-time codes, and revoke all its tokens.",
  "reset-password":
    "Set a generated password, which the user has to change at the next login, and revoke all tokens.",
};

export function addUsersCommand(program: Command, context: CommandContext): void {
  const users = program.command("users").description("Help users who can't log in, and end their access.");
  withSettings(users.command("clear-mfa-rules"), context)
    .description(
      "Delete the multi-factor rules of a user, who can then log in by any one method. The service may be running.",
    )
    .argument("<user>", "the user's id, or name in the domain")
    .option("--domain <domain>", "id or name of the domain, for a user by name", DEFAULT_DOMAIN_ID)
    .action(async (user: string, options: ClearOptions) => {
      const { domain } = options;
      const line = await clearMultiFactorRules(settings(context, options), { user, domain });
      context.stdout.write(`${line}\n`);
    });
  for (const [access, description] of Object.entries(ACCESS) as [UserAccess, string][]) {
    const command = withSettings(users.command(access), context)
      .description(`${description} The service may be running.`)
      .argument("<user>", "the user's id, or name in the domain")
      .option("--domain <domain>", "id or name of the domain, for a user by name", DEFAULT_DOMAIN_ID);
    if (access === "end-session") command.argument("<session>", "the id of the session, as in the list");
    command.action(async (user: string, ...rest: unknown[]) => {
      const { runUserAccess } = await import("./user-access.js");
      const [session] = access === "end-session" ? (rest as [string]) : [];
      const options = command.opts<ClearOptions>();
      const config = settings(context, options);
      const { domain } = options;
      const lines = await runUserAccess({ user, domain }, { context, config, access, session });
      context.stdout.write(`${lines.join("\n")}\n`);
    });
  }
  withSettings(users.command("clear-driver"), context)
    .description(
      "Delete identity.driver of a domain's configuration, so that its users can log in. The service may be running.",
    )
    .argument("[domain]", "id or name of the domain", DEFAULT_DOMAIN_ID)
    .action(async (domain: string, options: SettingsOptions) => {
      const line = await clearDriver(settings(context, options), domain);
      context.stdout.write(`${line}\n`);
    });
}

/**
 * Deletes the setting of a directory in a domain's configuration: in the domain of the administrators it locks them out.
 *
 * @returns The message for the operator.
 */
async function clearDriver(config: Config, domain: string): Promise<string> {
  const database = await openWithStep(config.database.url, "0020-domain-config");
  try {
    return await database.transaction(
      async (transaction) => {
        const domainId = await findDomainId(transaction, domain);
        if (domainId === undefined) throw new Error(`No domain has the id or name "${domain}"`);
        const driver = (await listForeignDrivers(transaction)).get(domainId);
        if (driver === undefined) return `Users of domain ${domainId} are in no directory.`;
        await deleteConfig(transaction, domainId, { group: "identity", option: "driver" });
        return `Deleted identity.driver ${driver} of domain ${domainId}: its users can log in.`;
      },
      { changes: ["facts"] },
    );
  } finally {
    await database.close();
  }
}

interface Tables {
  readonly project: { id: string; name: string; is_domain: boolean };
  readonly user: { id: string; name: string; domain_id: string; options: string; is_federated: boolean };
}

/**
 * Deletes the multi-factor rules of a user. Works before the database is migrated to this release, so that users locked out by
 * an upgrade can be helped.
 *
 * @returns The message for the operator.
 */
async function clearMultiFactorRules(config: Config, reference: UserReference): Promise<string> {
  const database = await openWithStep(config.database.url, "0002-users");
  try {
    return await database.transaction((transaction) => clear(transaction, reference), { changes: ["facts"] });
  } finally {
    await database.close();
  }
}

async function clear(transaction: Queries, reference: UserReference): Promise<string> {
  const user = await requireUser(transaction, reference);
  const subject = `user ${user.name} (${user.id})`;
  const known = parseAttributes(user.options) as UserOptions;
  const rules = known.multi_factor_auth_rules ?? [];
  if (rules.length === 0) return `The ${subject} has no multi-factor rules.`;
  const options = JSON.stringify(changedOptions(known, { multi_factor_auth_rules: null }));
  await transaction.tables<Tables>().updateTable("user").set({ options }).where("id", "=", user.id).execute();
  return `Deleted the multi-factor rules of ${subject}: ${JSON.stringify(rules)}.`;
}

/** With the columns that each release has. Shadow users are not found by name: it is not unique. */
async function requireUser(
  queries: Queries,
  { user, domain }: UserReference,
): Promise<Pick<Tables["user"], "id" | "name" | "options">> {
  const users = queries.tables<Tables>().selectFrom("user").select(["id", "name", "options"]);
  const byId = await users.where("id", "=", user).executeTakeFirst();
  if (byId !== undefined) return byId;
  const domainId = (await findDomainId(queries, domain)) ?? "";
  const named = users.where("domain_id", "=", domainId).where("name", "=", user);
  const byName = await named.where("is_federated", "=", false).executeTakeFirst();
  if (byName === undefined)
    throw new Error(`No user has the id "${user}", or that name in domain "${domain}"`);
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
