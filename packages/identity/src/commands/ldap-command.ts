/** `hamkit-identity ldap check`: checks the directory of a domain. */
import type { Command } from "commander";

import {
  EXIT,
  settings,
  withSettings,
  type CommandContext,
  type SettingsOptions,
} from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

/** Holds the password for `--login`, so that no list of processes shows it. */
const PASSWORD = "LDAP_CHECK_PASSWORD";

export function addLdapCommand(program: Command, context: CommandContext): void {
  const ldap = program.command("ldap").description("Check the directories of domains.");
  withSettings(ldap.command("check"), context)
    .description(
      "Connect to the directory of a domain, search its users and groups, and print what was found and which options to change. Exits with 1 for a failure.",
    )
    .argument("<domain>", "the id of the domain")
    .option("--login <name>", `also log in as this user, with the password in ${PASSWORD}`)
    .action(async (domainId: string, options: SettingsOptions & { readonly login?: string }) => {
      // Loaded on demand: other commands start faster.
      const { createDomainConfigService } = await import("../domain-config/domain-config-service.js");
      const { defaultDirectoryOf } = await import("../domain-config/default-directory.js");
      const { checkDirectory } = await import("../directories/check-directory.js");
      const { loadMasterKey } = await import("../platform/secrets/master-key.js");
      const config = settings(context, options);
      const database = await openMigrated(config.databaseUrl);
      try {
        const masterKey = await loadMasterKey({
          text: config.masterKey,
          file: config.masterKeyFile,
          mayCreate: false,
        });
        const service = createDomainConfigService({
          database,
          masterKey,
          usesDrivers: true,
          defaultDirectory: defaultDirectoryOf(config),
        });
        const found = (await service.directoryConfigs()).find((each) => each.domainId === domainId);
        if (found === undefined)
          throw new Error(`The configuration of domain ${domainId} does not set identity.driver to ldap`);
        if (!config.hasDomainDrivers && !found.isDefault)
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
}
