/** What `hamkit-identity providers end-sessions` does: loaded by it alone, so that other commands start without it. */
import type { Config } from "../config.js";
import { endSessions } from "../identity-providers/identity-provider-service.js";
import { systemClock as clock } from "../platform/clock.js";
import { newId } from "../platform/ids.js";
import { createRevocations } from "../tokens/revocations.js";
import { openMigrated } from "./open-migrated.js";

/** @throws {IdentityProviderNotFoundError} */
export async function endProviderSessions(config: Config, id: string): Promise<void> {
  const database = await openMigrated(config.databaseUrl);
  try {
    const retentionMs = (config.tokenLifetimeSeconds + config.expiredTokenWindowSeconds) * 1000;
    const { endTokens } = createRevocations({ database, clock, newId, retentionMs });
    await endSessions({ database, endTokens }, id);
  } finally {
    await database.close();
  }
}
