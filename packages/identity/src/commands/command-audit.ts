/** Audit events of commands that change something: on standard error, in the form of the service's log, and in the audit trail if it is kept. */
import type { Config } from "../config.js";
import { idPrefixOf, insertAuditEvents } from "../console/audit/audit-event-store.js";
import { systemClock } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { newId } from "../platform/ids.js";
import { createLog } from "../platform/log.js";
import type { AuditEvent } from "../policy/audit.js";
import type { CommandContext } from "./command-context.js";

/** The event of a change, which is also stored in the audit trail, if that is kept. Its log line is written by {@link logAudit}. */
export async function storeAudit(
  queries: Queries,
  config: Pick<Config, "console">,
  { action, target }: Pick<AuditEvent, "action" | "target">,
): Promise<AuditEvent> {
  const event: AuditEvent = {
    action,
    target,
    outcome: "done",
    status: 200,
    request: `command-${newId()}`,
    from: "command line",
  };
  if (config.console.auditTrailDays === 0) return event;
  const at = systemClock.now();
  const { outcome, status, request: requestId, from: address } = event;
  const stored = { id: `${idPrefixOf(at)}-${newId()}`, at, userId: null, details: { target } };
  await insertAuditEvents(queries, [{ ...stored, action, outcome, status, requestId, address }]);
  return event;
}

export function logAudit({ stderr }: Pick<CommandContext, "stderr">, audited: AuditEvent): void {
  createLog("info", stderr).info({ audit: audited }, "audit");
}
