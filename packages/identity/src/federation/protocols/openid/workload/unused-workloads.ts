/** Deletes users of unused workloads in the background. */
import type { FastifyBaseLogger } from "fastify";

import type { ProtocolService } from "../../../../identity-providers/protocols/protocol-service.js";
import { HOUR_MS } from "../../../../platform/clock.js";
import type { ShadowUsers } from "../../../../users/federated/shadow-users.js";
import { isForWorkloads, UNUSED_DAYS } from "../openid-settings.js";

export interface WorkloadPurgeOptions {
  readonly protocols: Pick<ProtocolService, "listOfType" | "get">;
  readonly shadowUsers: Pick<ShadowUsers, "deleteUnused">;
  readonly log: Pick<FastifyBaseLogger, "info" | "error">;
}

/** Deletes them hourly. @returns A function that stops it. */
export function deleteUnusedWorkloadsOnSchedule(options: WorkloadPurgeOptions): () => void {
  const timer = setInterval(() => void deleteAllUnusedWorkloads(options), HOUR_MS).unref();
  return () => clearInterval(timer);
}

/** Those of enabled providers. Never rejects: the next hour retries. */
export async function deleteAllUnusedWorkloads({
  protocols,
  shadowUsers,
  log,
}: WorkloadPurgeOptions): Promise<void> {
  try {
    for (const key of await protocols.listOfType("openid")) {
      const { settings } = await protocols.get(key);
      if (!isForWorkloads(settings)) continue;
      const { unused_days: unusedDays = UNUSED_DAYS } = settings;
      const federation = { idpId: key.idpId, protocolId: key.id };
      const users = await shadowUsers.deleteUnused({ ...federation, unusedDays });
      if (users > 0) log.info({ federation, users, unusedDays }, "users of unused workloads deleted");
    }
  } catch (error) {
    log.error({ err: error }, "users of unused workloads not deleted");
  }
}
