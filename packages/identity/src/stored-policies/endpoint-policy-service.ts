/** Which policy applies to an endpoint: its own, else that of its service in the nearest region around it, else its service's. */
import { endpointTable, type Endpoint } from "../catalog/endpoint.js";
import { ancestryOf, regionIdsWithin, regionTable } from "../catalog/regions/region.js";
import { serviceTable } from "../catalog/service.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/table.js";
import {
  findPolicyId,
  listAssociations,
  setPolicy,
  unsetPolicy,
  type PolicyAssociation,
} from "./endpoint-policy-store.js";
import {
  NoPolicyOfEndpointError,
  PolicyAssociationNotFoundError,
  policyTable,
  type Policy,
} from "./policy.js";

/** No token shows policies. */
const SHOWN_BY_NO_TOKEN = { changes: [] };

export type EndpointPolicyService = ReturnType<typeof createEndpointPolicyService>;

export function createEndpointPolicyService({ database }: { readonly database: Database }) {
  return {
    /** @throws {PolicyAssociationNotFoundError} The target has another policy, or none. */
    async check(policyId: string, target: PolicyAssociation): Promise<void> {
      await requireParts(database, policyId, target);
      if ((await findPolicyId(database, target)) !== policyId) throw new PolicyAssociationNotFoundError();
    },

    /** Replaces the target's policy. */
    associate: (policyId: string, target: PolicyAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireParts(transaction, policyId, target);
        await setPolicy(transaction, target, policyId);
      }, SHOWN_BY_NO_TOKEN),

    /** A no-op, if the target does not have the policy. */
    dissociate: (policyId: string, target: PolicyAssociation): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireParts(transaction, policyId, target);
        await unsetPolicy(transaction, target, policyId);
      }, SHOWN_BY_NO_TOKEN),

    /** @throws {NoPolicyOfEndpointError} */
    async policyOf(endpointId: string): Promise<Policy> {
      const endpoint = await endpointTable.require(database, endpointId);
      for (const target of await targetsAround(database, endpoint)) {
        const policyId = await findPolicyId(database, target);
        if (policyId !== undefined) return policyTable.require(database, policyId);
      }
      throw new NoPolicyOfEndpointError(endpointId);
    },

    /** The endpoints that a policy is associated with in any way, although others may take precedence. */
    async listEndpoints(policyId: string, query: ListQuery<never>): Promise<Endpoint[]> {
      await policyTable.require(database, policyId);
      const targets = await listAssociations(database, policyId);
      const places = await Promise.all(targets.map((target) => placeOf(database, target)));
      return endpointTable.list(database, query, (every) =>
        every.where((eb) =>
          eb.or(
            places.map(({ endpointId, serviceId, regionIds }) =>
              eb.and([
                ...(endpointId === undefined ? [] : [eb("id", "=", endpointId)]),
                ...(serviceId === undefined ? [] : [eb("service_id", "=", serviceId)]),
                ...(regionIds === undefined ? [] : [eb("region_id", "in", regionIds)]),
              ]),
            ),
          ),
        ),
      );
    },
  };
}

async function requireParts(
  queries: Queries,
  policyId: string,
  { endpointId, serviceId, regionId }: PolicyAssociation,
): Promise<void> {
  await policyTable.require(queries, policyId);
  if (endpointId !== undefined) await endpointTable.require(queries, endpointId);
  if (serviceId !== undefined) await serviceTable.require(queries, serviceId);
  if (regionId !== undefined) await regionTable.require(queries, regionId);
}

/** The targets whose policy may apply to an endpoint, by precedence. */
async function targetsAround(
  queries: Queries,
  { id: endpointId, serviceId, regionId }: Endpoint,
): Promise<PolicyAssociation[]> {
  const regionIds = regionId === null ? [] : await ancestryOf(queries, regionId);
  return [{ endpointId }, ...regionIds.map((region) => ({ serviceId, regionId: region })), { serviceId }];
}

/** A target with the regions within its own. */
async function placeOf(queries: Queries, { regionId, ...target }: PolicyAssociation) {
  const regionIds = regionId === undefined ? undefined : await regionIdsWithin(queries, regionId);
  return { ...target, regionIds };
}
