/** Federated identities of workloads in the database: those whose last login is stored. */
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import type { FederatedIdentity } from "../user-store.js";

interface Tables {
  readonly federated_user: {
    idp_id: string;
    protocol_id: string;
    unique_id: string;
    user_id: string;
    last_login_at: Moment | null;
  };
}

/** A protocol of a provider. */
export type IdentityProtocol = Pick<FederatedIdentity, "idpId" | "protocolId">;

/** The number of a protocol's workloads that are users. */
export async function countWorkloads(
  queries: Queries,
  { idpId, protocolId }: IdentityProtocol,
): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("last_login_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function setLastLogin(
  queries: Queries,
  { idpId, protocolId, uniqueId }: FederatedIdentity,
  moment: Moment,
): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("federated_user")
    .set({ last_login_at: moment })
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("unique_id", "=", uniqueId)
    .execute();
}

/** Workloads of a protocol whose last login was before a moment. */
export interface UnusedIdentities extends IdentityProtocol {
  readonly before: Moment;
  /** Of these. */
  readonly limit: number;
}

function selectUnused(queries: Queries, { idpId, protocolId, before, limit }: UnusedIdentities) {
  return queries
    .tables<Tables>()
    .selectFrom("federated_user")
    .select("unique_id")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", protocolId)
    .where("last_login_at", "<", before)
    .limit(limit);
}

export async function hasUnusedIdentities(queries: Queries, unused: UnusedIdentities): Promise<boolean> {
  return (await selectUnused(queries, unused).executeTakeFirst()) !== undefined;
}

/** Deletes some. @returns The ids of their users. */
export async function deleteUnusedIdentities(queries: Queries, unused: UnusedIdentities): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .deleteFrom("federated_user")
    .where("idp_id", "=", unused.idpId)
    .where("protocol_id", "=", unused.protocolId)
    .where("unique_id", "in", selectUnused(queries, unused))
    .returning("user_id")
    .execute();
  return rows.map(({ user_id: userId }) => userId);
}
