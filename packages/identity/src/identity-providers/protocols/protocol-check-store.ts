/** The last check of each protocol, so that its findings are known later. */
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import type { ProtocolFinding } from "./protocol-report.js";
import type { ProtocolKey } from "./protocol-store.js";

export interface LastCheck {
  readonly checkedAt: Moment;
  /** The protocol's `refreshedAt` when it was checked: after a change of its settings, the findings say nothing. */
  readonly refreshedAt: Moment;
  readonly checks: readonly ProtocolFinding[];
}

export interface StoredCheck extends ProtocolKey, LastCheck {}

interface Tables {
  readonly protocol: { idp_id: string; id: string; refreshed_at: Moment; last_check: string | null };
  readonly identity_provider: { id: string; enabled: boolean };
}

export async function storeCheck(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  check: LastCheck,
): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("protocol")
    .set({ last_check: JSON.stringify(check) })
    .where("idp_id", "=", idpId)
    .where("id", "=", id)
    .execute();
}

/** Those of the settings in force, of a provider or of all enabled ones. */
export async function listChecks(queries: Queries, idpId?: string): Promise<StoredCheck[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("protocol")
    .innerJoin("identity_provider", "identity_provider.id", "protocol.idp_id")
    .select(["protocol.idp_id", "protocol.id", "protocol.refreshed_at", "protocol.last_check"])
    .where("protocol.last_check", "is not", null)
    .where((eb) =>
      idpId === undefined ? eb("identity_provider.enabled", "=", true) : eb("protocol.idp_id", "=", idpId),
    )
    .orderBy("protocol.idp_id")
    .orderBy("protocol.id")
    .execute();
  return rows.flatMap(({ idp_id, id, refreshed_at, last_check }) => {
    const check = JSON.parse(last_check ?? "null") as LastCheck | null;
    return check?.refreshedAt === refreshed_at ? [{ idpId: idp_id, id, ...check }] : [];
  });
}

export const failuresOf = ({ checks }: Pick<LastCheck, "checks">): readonly ProtocolFinding[] =>
  checks.filter(({ status }) => status === "failure");
