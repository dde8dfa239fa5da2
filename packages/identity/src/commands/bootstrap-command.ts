/** `hamkit-identity bootstrap` */
import type { Command } from "commander";

import type { Config } from "../config.js";
import type { OpenService } from "../open-service.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface BootstrapOptions extends SettingsOptions {
  readonly resetPassword?: true;
}

export function addBootstrapCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("bootstrap"), context)
    .description(
      "Make what the first start makes: database, administrator, roles and catalog; serve does it too. What is there stays.",
    )
    .option(
      "--reset-password",
      "also give the administrator the password of IDENTITY_ADMIN_PASSWORD, or a new one, and end all tokens of that user",
    )
    .action(async (options: BootstrapOptions) => {
      const lines = await run(settings(context, options), options.resetPassword === true);
      context.stdout.write(`${lines.join("\n")}\n`);
    });
}

/** @returns What was done. */
async function run(config: Config, isReset: boolean): Promise<string[]> {
  // Not before it is needed: the other commands start in half the time without it.
  const [{ openService }, { publicUrlOf }] = await Promise.all([
    import("../open-service.js"),
    import("../public-url.js"),
  ]);
  const { systemClock: clock } = await import("../platform/clock.js");
  const { newId } = await import("../platform/ids.js");
  const service = await openService({ ...config, publicUrl: publicUrlOf(config) }, { clock, newId });
  try {
    if (service.isFirst) return firstLines(service);
    if (isReset) return await resetPassword(config, service);
    return ["The first start was before; --reset-password gives the administrator another password."];
  } finally {
    await service.database.close();
  }
}

function firstLines({ firstPassword }: OpenService): string[] {
  const made = "Made the domain default, the user and the project admin, the roles and the catalog.";
  return [made, passwordLine(firstPassword)];
}

/** Whoever can read the database and its keys may do this: it is the way back in for those who lost theirs. */
async function resetPassword({ adminPassword }: Config, { features }: OpenService): Promise<string[]> {
  const [{ ADMIN }, { DEFAULT_DOMAIN_ID }, { newPassword }] = await Promise.all([
    import("../bootstrap.js"),
    import("../projects/project.js"),
    import("../open-service.js"),
  ]);
  const user = await features.users.findUser({ name: ADMIN, domainId: DEFAULT_DOMAIN_ID });
  if (user === undefined) throw new Error(`There is no user ${ADMIN} in the domain ${DEFAULT_DOMAIN_ID}`);
  const password = adminPassword ?? newPassword();
  await features.users.update(user.id, { enabled: true, password });
  return [
    "The user admin is enabled and unlocked; tokens from before are good no longer.",
    passwordLine(made),
  ];
}

/** @param made The password, where nobody knows it yet. */
function passwordLine(made: string | undefined): string {
  return made === undefined
    ? "The password of the user admin is that of IDENTITY_ADMIN_PASSWORD."
    : `The password of the user admin, which is shown this once: ${made}`;
}
