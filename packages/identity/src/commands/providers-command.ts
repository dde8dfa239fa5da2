/** `hamkit-identity providers end-sessions`: revokes all tokens from logins through an identity provider. */
import type { Command } from "commander";

import type { Config } from "../config.js";
import { systemClock as clock } from "../platform/clock.js";
import { newId } from "../platform/ids.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

export function addProvidersCommand(program: Command, context: CommandContext): void {
  const providers = program.command("providers").description("Manage identity providers.");
  withSettings(providers.command("end-sessions"), context)
    .description(
      "Revoke all tokens from logins through an identity provider, for example after its key was compromised. The service may be running.",
    )
    .argument("<id>", "the id of the identity provider")
    .action(async (id: string, options: SettingsOptions) => {
      await endProviderSessions(id, { context, config: settings(context, options) });
      context.stdout.write(`All tokens from logins through ${id} are revoked.\n`);
    });
}

/** @throws {IdentityProviderNotFoundError} */
async function endProviderSessions(
  id: string,
  { context, config }: { readonly context: CommandContext; readonly config: Config },
): Promise<void> {
  // Loaded on demand: other commands start faster.
  const { endSessions } = await import("../identity-providers/identity-provider-service.js");
  const { logAudit, storeAudit } = await import("./command-audit.js");
  const { createRevocations } = await import("../tokens/revocations.js");
  const database = await openMigrated(config.database.url);
  try {
    const retentionMs = (config.token.lifetimeSeconds + config.token.expiredWindowSeconds) * 1000;
    const { revokeTokens } = createRevocations({ database, clock, newId, retentionMs });
    await endSessions({ database, revokeTokens }, id);
    const change = { action: "identity:end_identity_provider_sessions", target: { idp_id: id } };
    const event = await database.transaction((transaction) => storeAudit(transaction, config, change), {
      changes: [],
    });
    logAudit(context, event);
  } finally {
    await database.close();
  }
}
