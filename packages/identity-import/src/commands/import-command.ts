/** `hamkit-identity import`: brings in the database, keys and settings of a Keystone. */
import {
  COMMAND_VARIABLES,
  type CommandContext,
  ConfigError,
  EXIT,
  settings,
  type SettingsOptions,
  type Command,
} from "@hamkit/identity/import-support/command-line";

import type { Preference } from "../import/row-conflicts.js";
import { addressFrom } from "./database-address.js";
import { finishKeystoneImport, importKeystone, verifyKeystoneImport } from "./keystone-import.js";

interface ImportCommandOptions extends SettingsOptions {
  readonly from?: string;
  readonly fromEnv?: string;
  readonly fromFile?: string;
  readonly keystoneConf?: string;
  readonly fernetKeys?: string;
  readonly credentialKeys?: string;
  readonly authMethods?: string;
  readonly tokenExpiration?: string;
  readonly dryRun?: true;
  readonly update?: true;
  readonly prefer?: Preference;
  readonly finish?: true;
  readonly verify?: string;
  readonly with?: string;
}

export function defineImport(command: Command, context: CommandContext): void {
  command
    .option(
      "--from <url>",
      `the address of Keystone's database, without a password; else ${COMMAND_VARIABLES.importAddress}, or [database] connection of --keystone-conf`,
    )
    .option("--from-env <name>", "an environment variable that holds the address")
    .option("--from-file <file>", "a file that holds the address")
    .option("--keystone-conf <file>", "keystone.conf: for the address, the keys, and the settings of tokens")
    .option("--fernet-keys <folder>", "[fernet_tokens] key_repository: tokens of the Keystone stay valid")
    .option("--credential-keys <folder>", "[credential] key_repository: decrypts credentials")
    .option("--auth-methods <names>", "[auth] methods in its order, which tokens depend on")
    .option(
      "--token-expiration <seconds>",
      "[token] expiration: how long tokens of the Keystone stay valid; needed with --fernet-keys, else in --keystone-conf",
    )
    .option("--dry-run", "only report what would be imported, and what can't be")
    .option("--update", "bring in what has changed since the last import, deletions too")
    .addOption(
      command
        .createOption(
          "--prefer <side>",
          "whose version stays of a row that was changed there and here; without it nothing is imported then",
        )
        .choices(["source", "target"]),
    )
    .option(
      "--finish",
      "end the move: logins replace imported password hashes, and no further --update is possible",
    )
    .option(
      "--verify <url>",
      `compare the responses of a Keystone at this URL, with the token in ${COMMAND_VARIABLES.importToken}`,
    )
    .option("--with <url>", "the URL of this service, for --verify (that of IDENTITY_PUBLIC_URL)")
    .action((options: ImportCommandOptions) => runCommand(context, options));
}

async function runCommand(context: CommandContext, options: ImportCommandOptions): Promise<void> {
  const config = settings(context, options);
  if (options.finish === true) {
    context.stdout.write(`${await finishKeystoneImport(config)}\n`);
    return;
  }
  if (options.verify !== undefined) {
    const token = context.env[COMMAND_VARIABLES.importToken] ?? "";
    if (token === "")
      throw new ConfigError(
        COMMAND_VARIABLES.importToken,
        "is not set: expected an administrator's token of the Keystone",
      );
    const target = options.with ?? config.server.publicUrl;
    if (target === undefined) throw new ConfigError("--with", "is missing: expected the URL of this service");
    const { lines, isSame } = await verifyKeystoneImport({ source: options.verify, target, token });
    context.stdout.write(`${lines.join("\n")}\n`);
    if (!isSame) context.end(EXIT.failed);
    return;
  }
  if (options.prefer !== undefined && options.update !== true)
    throw new ConfigError("--prefer", "is only for --update");
  const { lines, isDone } = await importKeystone(config, {
    address: addressFrom(context.env, {
      option: "from",
      variable: COMMAND_VARIABLES.importAddress,
      url: options.from,
      name: options.fromEnv,
      file: options.fromFile,
    }),
    keystoneConf: options.keystoneConf,
    fernetKeys: options.fernetKeys,
    credentialKeys: options.credentialKeys,
    authMethods: options.authMethods?.split(",").map((name) => name.trim()),
    tokenExpirationSeconds: secondsOf(options.tokenExpiration),
    isDryRun: options.dryRun === true,
    isUpdate: options.update === true,
    prefer: options.prefer,
    stderr: context.stderr,
    isInteractive: context.isInteractive,
  });
  context.stdout.write(`${lines.join("\n")}\n`);
  if (!isDone) context.end(EXIT.failed);
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new ConfigError("--token-expiration", `"${text}" is not a number of seconds`);
  return Number(text);
}
