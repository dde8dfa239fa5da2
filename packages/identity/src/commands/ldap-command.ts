/** `hamkit-identity ldap`: checks the directory of a domain, and changes the ids of its users and groups. */
import type { Command } from "commander";

import {
  EXIT,
  settings,
  withSettings,
  type CommandContext,
  type SettingsOptions,
} from "./command-context.js";
import { addIdMappingCommands } from "./id-mapping-commands.js";
import { openMigrated } from "./open-migrated.js";

/** Holds the password for `--login`, so that no list of processes shows it. */
const PASSWORD = "LDAP_CHECK_PASSWORD";

export function addLdapCommand(program: Command, context: CommandContext): void {
  const ldap = program
    .command("ldap")
    .description("Check the directories of domains, and change the ids of their users and groups.");
  withSettings(ldap.command("check"), context)
    .description(
      "Connect to the directory of a domain, search its users and groups, and print what was found and which options to change. Exits with 1 for a failure.",
    )
    .argument("<domain>", "the id of the domain")
    .option("--login <name>", `also log in as this user, with the password in ${PASSWORD}`)
    .action(async (domainId: string, options: SettingsOptions & { readonly login?: string }) => {
      // Loaded on demand: other commands start faster.
      const { openDirectoryConfigs } = await import("./directory-configs.js");
      const { checkDirectory } = await import("../directories/check-directory.js");
      const config = settings(context, options);
      const database = await openMigrated(config.database.url);
      try {
        const configs = await openDirectoryConfigs(config, database);
        const found = configs.find((each) => each.domainId === domainId);
        if (found === undefined)
          throw new Error(`The configuration of domain ${domainId} does not set identity.driver to ldap`);
        if (!config.directory.hasDomainDrivers && !found.isDefault)
          context.stdout.write(
            "failure  IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED is off: the directory is not used\n",
          );
        const { login: name } = options;
        const login = name === undefined ? undefined : { name, password: context.env[PASSWORD] ?? "" };
        for await (const { isFailure, text } of checkDirectory(found, login)) {
          context.stdout.write(`${isFailure ? "failure" : "ok     "}  ${text}\n`);
          if (isFailure) context.end(EXIT.failed);
        }
      } finally {
        await database.close();
      }
    });
  addIdMappingCommands(ldap, context);
}
