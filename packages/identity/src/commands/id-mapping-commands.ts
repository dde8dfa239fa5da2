/** `hamkit-identity ldap mapping-purge` and `ldap mapping-populate`: Keystone's commands for the ids of directories' users and groups. */
import { Option, type Command } from "commander";

import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import type { ChangeOptions } from "./change-id-mapping.js";

interface SharedOptions extends SettingsOptions {
  readonly domainName?: string;
  readonly type?: "user" | "group";
  readonly dryRun?: true;
}

interface PurgeOptions extends SharedOptions {
  readonly all?: true;
  readonly publicId?: string;
  readonly localId?: string;
}

export function addIdMappingCommands(ldap: Command, context: CommandContext): void {
  withShared(ldap.command("mapping-purge"), context)
    .description(
      "Delete ids of users and groups of directories that meet all given conditions. Grants stay: those who are still in the directory have the same ids again as soon as they are listed or log in. The service may be running.",
    )
    .option("--all", "every id of every domain")
    .option("--domain-name <domain>", "of the domain with this name or id")
    .option("--public-id <id>", "this id of the API")
    .option("--local-id <id>", "with this value of the id attribute; requires --domain-name")
    .action(async (options: PurgeOptions) => {
      checkPurge(options);
      const { purge } = await import("./change-id-mapping.js");
      await purge({ context, config: settings(context, options) }, changeOf(options));
    });
  withShared(ldap.command("mapping-populate"), context)
    .description(
      "Store the ids of all users and groups of a domain's directory, which the first long list would do otherwise. The service may be running.",
    )
    .requiredOption("--domain-name <domain>", "the name or id of the domain")
    .action(async (options: SharedOptions) => {
      const { populate } = await import("./change-id-mapping.js");
      await populate({ context, config: settings(context, options) }, changeOf(options));
    });
}

function withShared(command: Command, context: CommandContext): Command {
  return withSettings(command, context)
    .addOption(new Option("--type <kind>", "of users or of groups alone").choices(["user", "group"]))
    .option("--dry-run", "print the ids, without a change");
}

/** As in Keystone: nothing is purged without a condition. */
function checkPurge({ all, domainName, publicId, localId, type }: PurgeOptions): void {
  const conditions = [domainName, publicId, localId, type].filter((each) => each !== undefined);
  if (all === true && conditions.length > 0) throw new Error("--all can't be combined with other conditions");
  if (all !== true && conditions.length === 0)
    throw new Error("Expected --all, --domain-name, --public-id, --local-id or --type");
  if (localId !== undefined && domainName === undefined) throw new Error("--local-id requires --domain-name");
}

function changeOf({ domainName, publicId, localId, type, dryRun }: PurgeOptions): ChangeOptions {
  return { domain: domainName, publicId, localId, kind: type, isDryRun: dryRun === true };
}
