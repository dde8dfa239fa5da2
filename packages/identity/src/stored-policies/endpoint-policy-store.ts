/** The policies of endpoints, of services, and of services in regions, in the database. */
import { sql, type ExpressionBuilder, type Kysely } from "kysely";

import type { Queries } from "../platform/database/database.js";

/** Has at most one policy: an endpoint, a service, or a service in a region. */
export interface PolicyAssociation {
  readonly endpointId?: string | undefined;
  readonly serviceId?: string | undefined;
  /** Only with a service. */
  readonly regionId?: string | undefined;
}

interface Target {
  endpoint_id: string | null;
  service_id: string | null;
  region_id: string | null;
}

interface Tables {
  readonly policy_association: Target & { policy_id: string };
}

/** The unique index on targets. */
const TARGET = sql`coalesce(endpoint_id, ''), coalesce(service_id, ''), coalesce(region_id, '')`;

/** Replaces the policy of a target. */
export async function setPolicy(
  queries: Queries,
  target: PolicyAssociation,
  policyId: string,
): Promise<void> {
  await tables(queries)
    .insertInto("policy_association")
    .values({ policy_id: policyId, ...toColumns(target) })
    .onConflict((conflict) => conflict.expression(TARGET).doUpdateSet({ policy_id: policyId }))
    .execute();
}

export async function findPolicyId(queries: Queries, target: PolicyAssociation): Promise<string | undefined> {
  const row = await tables(queries)
    .selectFrom("policy_association")
    .select("policy_id")
    .where((eb) => isTarget(eb, target))
    .executeTakeFirst();
  return row?.policy_id;
}

/** Takes a policy from a target that has it; otherwise a no-op. */
export async function unsetPolicy(
  queries: Queries,
  target: PolicyAssociation,
  policyId: string,
): Promise<void> {
  await tables(queries)
    .deleteFrom("policy_association")
    .where("policy_id", "=", policyId)
    .where((eb) => isTarget(eb, target))
    .execute();
}

/** All targets of a policy. */
export async function listAssociations(queries: Queries, policyId: string): Promise<PolicyAssociation[]> {
  const rows = await tables(queries)
    .selectFrom("policy_association")
    .selectAll()
    .where("policy_id", "=", policyId)
    .execute();
  return rows.map(({ endpoint_id, service_id, region_id }) => ({
    endpointId: endpoint_id ?? undefined,
    serviceId: service_id ?? undefined,
    regionId: region_id ?? undefined,
  }));
}

function toColumns({ endpointId, serviceId, regionId }: PolicyAssociation): Target {
  return { endpoint_id: endpointId ?? null, service_id: serviceId ?? null, region_id: regionId ?? null };
}

/** As the unique index compares. */
function isTarget(eb: ExpressionBuilder<Tables, "policy_association">, target: PolicyAssociation) {
  return eb.and(
    Object.entries(toColumns(target)).map(([column, id]) =>
      eb(sql<string>`coalesce(${sql.ref(column)}, '')`, "=", (id as string | null) ?? ""),
    ),
  );
}

function tables(queries: Queries): Kysely<Tables> {
  return queries.tables<Tables>();
}
