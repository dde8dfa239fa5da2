/** `hamkit-identity providers` */
import type { Command } from "commander";

import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

export function addProvidersCommand(program: Command, context: CommandContext): void {
  const providers = program.command("providers").description("Look after identity providers.");
  withSettings(providers.command("end-sessions"), context)
    .description(
      "End all tokens had by logins through an identity provider, such as after its certificate was replaced. The service may go on running.",
    )
    .argument("<id>", "the id of the identity provider")
    .action(async (id: string, options: SettingsOptions) => {
      const { endProviderSessions } = await import("./end-provider-sessions.js");
      await endProviderSessions(settings(context, options), id);
      context.stdout.write(`All tokens had by logins through ${id} until now have ended.\n`);
    });
}
