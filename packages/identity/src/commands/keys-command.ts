/** `hamkit-identity keys`: rotates token and SAML signing keys, drops imported keys, and replaces the master key. */
import type { Command } from "commander";

import type { Config } from "../config.js";
import { masterKeyOf } from "../master-key-of.js";
import { systemClock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { createSamlKeys } from "../saml/saml-keys.js";
import { dropImportedKeys } from "../tokens/imported/imported-tokens.js";
import { MAX_ACTIVE_KEYS } from "../tokens/signing-key-rotation.js";
import { createSigningKeys, type SigningKeys } from "../tokens/signing-keys.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";
import { addResealCommands } from "./reseal-commands.js";

interface RotateOptions extends SettingsOptions {
  readonly force?: true;
}

export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program
    .command("keys")
    .description(
      "Rotate the signing keys of tokens and SAML, drop imported keys, or replace the master key.",
    );
  withSettings(keys.command("rotate"), context)
    .description("Rotate the token signing key. The service may be running; tokens stay valid.")
    .option("--force", "rotate even if valid tokens lose their key")
    .action((options: RotateOptions) => rotate(context, options));
  withSettings(keys.command("rotate-saml"), context)
    .description(
      "Sign SAML with the next key, which the metadata already publishes. The service may be running.",
    )
    .action((options: SettingsOptions) => rotateSaml(context, options));
  withSettings(keys.command("drop-imported"), context)
    .description(
      "Delete the keys of an imported Keystone: the tokens that it issued are invalid at once. The service may be running.",
    )
    .action((options: SettingsOptions) => dropImported(context, options));
  addResealCommands(keys, context);
}

function rotate(context: CommandContext, options: RotateOptions): Promise<void> {
  const config = settings(context, options);
  return withKeys(config, async (signing) => {
    const ring = await signing.load();
    const endsAt = ring.rotatedAt + config.token.lifetimeSeconds * 1000;
    if (ring.keys.length === MAX_ACTIVE_KEYS && systemClock.now() < endsAt && !options.force)
      throw new Error(
        `Tokens from before the last rotation are valid until ${new Date(endsAt).toISOString()}: wait, or use --force`,
      );
    const { primary, keys: kept } = await signing.rotate(ring);
    context.stdout.write(`Tokens are signed with key ${primary}; ${kept.length} keys are kept.\n`);
  });
}

function rotateSaml(context: CommandContext, options: SettingsOptions): Promise<void> {
  const config = settings(context, options);
  return withKeys(config, async (_signing, masterKey, database) => {
    const commonName = config.saml.entityId ?? config.server.publicUrl ?? "SAML";
    const { signing, keys } = await createSamlKeys({
      database,
      masterKey,
      clock: systemClock,
      commonName,
    }).rotate();
    context.stdout.write(
      `Assertions are signed with key ${signing.number}; ${keys.length} certificates are in the metadata.\n`,
    );
  });
}

async function dropImported(context: CommandContext, options: SettingsOptions): Promise<void> {
  const database = await openMigrated(settings(context, options).database.url);
  try {
    const wereDropped = await dropImportedKeys(database);
    context.stdout.write(
      wereDropped
        ? "The imported keys are deleted: tokens of the imported Keystone are invalid.\n"
        : "There are no imported keys.\n",
    );
  } finally {
    await database.close();
  }
}

async function withKeys(
  config: Config,
  use: (keys: SigningKeys, masterKey: MasterKey, database: Database) => Promise<void>,
): Promise<void> {
  const database = await openMigrated(config.database.url);
  try {
    const masterKey = await masterKeyOf(config, database, { mayCreate: true });
    await use(
      createSigningKeys({ database, masterKey, clock: systemClock, maxActiveKeys: MAX_ACTIVE_KEYS }),
      masterKey,
      database,
    );
  } finally {
    await database.close();
  }
}
