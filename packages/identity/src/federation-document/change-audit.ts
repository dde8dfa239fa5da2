/** The audit records of an applied document: one for each change, all of them of one actor. */
import type { FastifyBaseLogger } from "fastify";

import { idPrefixOf, insertAuditEvents, type StoredAuditEvent } from "../console/audit/audit-event-store.js";
import type { Clock } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import type { MadeChange } from "./reconcile.js";

/** Where changes come from that no request makes. */
export const COMMAND_ADDRESS = "hamkit-identity federation apply";

export interface AuditContext {
  readonly clock: Clock;
  /** The same for all changes of an apply. */
  readonly request: string;
  /** Who applies by a request. */
  readonly caller?: Pick<StoredAuditEvent, "userId" | "address">;
}

/** Writes them into the audit trail, in the transaction of the changes. */
export async function recordChanges(
  transaction: Queries,
  changes: readonly MadeChange[],
  { clock, request, newId, caller }: AuditContext & { readonly newId: NewId },
): Promise<void> {
  const at = clock.now();
  const events = changes.map(({ action, target }): StoredAuditEvent => ({
    id: `${idPrefixOf(at)}-${newId()}`,
    at,
    action,
    outcome: "done",
    status: 200,
    userId: null,
    address: COMMAND_ADDRESS,
    ...caller,
    requestId: request,
    details: { scope: undefined, delegation: undefined, target },
  }));
  for (let start = 0; start < events.length; start += MAX_ROWS)
    await insertAuditEvents(transaction, events.slice(start, start + MAX_ROWS));
}

/** Rows of one statement. */
const MAX_ROWS = 100;

/** Logs them as the service logs those of requests. */
export function logChanges(
  changes: readonly MadeChange[],
  { log, request }: { readonly log: Pick<FastifyBaseLogger, "info">; readonly request: string },
): void {
  for (const { action, target, name } of changes)
    log.info({ audit: { action, target, name, outcome: "done", request, from: COMMAND_ADDRESS } }, "audit");
}
