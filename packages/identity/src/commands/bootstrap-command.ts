/** `hamkit-identity bootstrap` */
import type { Command } from "commander";

import { readBootstrapOptions, withBootstrapOptions, type GivenOptions } from "./bootstrap-options.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface BootstrapOptions extends SettingsOptions, GivenOptions {
  readonly resetPassword?: true;
}

export function addBootstrapCommand(program: Command, context: CommandContext): void {
  withBootstrapOptions(withSettings(program.command("bootstrap"), context))
    .description(
      "Make what the first start makes: database, administrator, roles and catalog; serve does it too. With options of keystone-manage bootstrap, also make later what is missing, and change what differs.",
    )
    .option(
      "--reset-password",
      "also give the administrator the password of IDENTITY_ADMIN_PASSWORD, or a new one, and end all tokens of that user",
    )
    .action(async (options: BootstrapOptions) => {
      const requested = readBootstrapOptions(context.env, options);
      // Not before it is needed: the other commands start in half the time without it.
      const { makeFirstStart } = await import("./first-start.js");
      const isReset = options.resetPassword === true;
      const lines = await makeFirstStart(settings(context, options), { isReset, requested });
      context.stdout.write(`${lines.join("\n")}\n`);
    });
}
