/** `/v3/policies/{policy_id}/OS-ENDPOINT-POLICY` and `/v3/endpoints/{endpoint_id}/OS-ENDPOINT-POLICY` */
import { EndpointView } from "../catalog/endpoint-schema.js";
import type { Endpoint } from "../catalog/endpoint-store.js";
import { endpointView } from "../catalog/endpoint-view.js";
import { extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import { addAssociatedList, addAssociationRoutes } from "../platform/http/association.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { ResourceDeps } from "../platform/http/resource.js";
import { bodyOf, pathOf } from "../platform/http/validation/schema-parts.js";
import type { EndpointPolicyService } from "./endpoint-policy-service.js";
import type { PolicyTarget } from "./endpoint-policy-store.js";
import { policyView } from "./policy-routes.js";
import { PolicyView } from "./policy-schema.js";

export interface EndpointPolicyRoutesDeps extends ResourceDeps {
  readonly endpointPolicies: EndpointPolicyService;
}

const tag = "endpoint policies";
const PREFIX = "/v3/policies/:policy_id/OS-ENDPOINT-POLICY";

/** The parameters of all paths of associations. */
interface AssociationPath {
  readonly policy_id: string;
  readonly endpoint_id?: string;
  readonly service_id?: string;
  readonly region_id?: string;
}

/** What policies are associated with: path, name in actions, name in the home document, and name in summaries. */
const KINDS = [
  ["/endpoints/:endpoint_id", "endpoint", "endpoint_policy_association", "an endpoint"],
  ["/services/:service_id", "service", "service_policy_association", "a service"],
  [
    "/services/:service_id/regions/:region_id",
    "region_and_service",
    "region_and_service_policy_association",
    "a service in a region",
  ],
] as const;

export function addEndpointPolicyRoutes(
  server: HttpServer,
  { endpointPolicies, ...deps }: EndpointPolicyRoutesDeps,
): void {
  for (const [path, kind, relation, noun] of KINDS)
    addAssociationRoutes(
      server,
      {
        url: PREFIX + path,
        tag,
        home: homeOf(relation),
        summaries: {
          check: `Checks that a policy is that of ${noun}`,
          add: `Sets the policy of ${noun}`,
          remove: `Takes a policy from ${noun}`,
        },
        access: {
          check: `identity:check_policy_association_for_${kind}`,
          add: `identity:create_policy_association_for_${kind}`,
          remove: `identity:delete_policy_association_for_${kind}`,
        },
      },
      {
        check: (key: AssociationPath) => endpointPolicies.check(key.policy_id, targetIn(key)),
        add: (key: AssociationPath) => endpointPolicies.associate(key.policy_id, targetIn(key)),
        remove: (key: AssociationPath) => endpointPolicies.dissociate(key.policy_id, targetIn(key)),
      },
    );

  addAssociatedList(server, deps, {
    url: `${PREFIX}/endpoints`,
    tag,
    summary: "Lists the endpoints that a policy is associated with, also through their services",
    access: "identity:list_endpoints_for_policy",
    home: homeOf("policy_endpoints"),
    key: "endpoints",
    schema: EndpointView,
    // As in Keystone, without the old name of the region.
    view: (endpoint: Endpoint) => ({ ...endpointView(endpoint, deps.links), region: undefined }),
    read: ({ policy_id: id }, page) => endpointPolicies.listEndpoints(id, { filters: [], page }),
  });

  server.get(
    "/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy",
    {
      config: { access: "identity:get_policy_for_endpoint", home: homeOf("endpoint_policy") },
      schema: {
        tags: [tag],
        summary: "Shows the policy that applies to an endpoint",
        params: pathOf("endpoint_id"),
        response: { 200: bodyOf("policy", PolicyView) },
      },
    },
    async ({ params: { endpoint_id: id } }) => ({
      policy: policyView(await endpointPolicies.policyOf(id), deps.links),
    }),
  );
}

function homeOf(name: string): HomeRelation[] {
  return [{ relation: extensionRelation("OS-ENDPOINT-POLICY", name) }];
}

function targetIn({ endpoint_id, service_id, region_id }: AssociationPath): PolicyTarget {
  return { endpointId: endpoint_id, serviceId: service_id, regionId: region_id };
}
