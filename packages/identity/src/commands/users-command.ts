/** `hamkit-identity users` */
import type { Command } from "commander";

import { DEFAULT_DOMAIN_ID } from "../policy/own-domain.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface ClearOptions extends SettingsOptions {
  readonly domain: string;
}

export function addUsersCommand(program: Command, context: CommandContext): void {
  const users = program.command("users").description("Help users who can't log in.");
  withSettings(users.command("clear-mfa-rules"), context)
    .description(
      "Delete the multi-factor rules of a user, who then logs in by any one method. The service may go on running.",
    )
    .argument("<user>", "the user's id, or the name in the domain")
    .option("--domain <domain>", "id or name of the domain of a user by name", DEFAULT_DOMAIN_ID)
    .action(async (user: string, options: ClearOptions) => {
      const { clearMultiFactorRules } = await import("./clear-mfa-rules.js");
      const line = await clearMultiFactorRules(settings(context, options), { user, domain: options.domain });
      context.stdout.write(`${line}\n`);
    });
}
