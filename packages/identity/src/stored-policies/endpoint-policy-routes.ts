/** `/v3/policies/{policy_id}/OS-ENDPOINT-POLICY` and `/v3/endpoints/{endpoint_id}/OS-ENDPOINT-POLICY` */
import { Type } from "typebox";

import { EndpointView, endpointView } from "../catalog/endpoint.js";
import { extensionRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { bodyOf, listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import type { EndpointPolicyService } from "./endpoint-policy-service.js";
import type { PolicyAssociation } from "./endpoint-policy-store.js";
import { policyView } from "./policy-routes.js";
import { PolicyView } from "./policy.js";

const PREFIX = "/v3/policies/:policy_id/OS-ENDPOINT-POLICY";

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
  { endpointPolicies, ...deps }: ResourceDeps & { readonly endpointPolicies: EndpointPolicyService },
): void {
  const route = createRoutes(server, "endpoint policies");
  for (const [end, kind, relation, noun] of KINDS) {
    const path = PREFIX + end;
    route("GET", path, {
      access: `identity:check_policy_association_for_${kind}`,
      home: homeOf(relation),
      summary: `Checks that a policy is that of ${noun}`,
      handle: ({ params }) => endpointPolicies.check(...associationIn(params)),
    });
    route("PUT", path, {
      access: `identity:create_policy_association_for_${kind}`,
      summary: `Sets the policy of ${noun}`,
      handle: ({ params }) => endpointPolicies.associate(...associationIn(params)),
    });
    route("DELETE", path, {
      access: `identity:delete_policy_association_for_${kind}`,
      summary: `Takes a policy from ${noun}`,
      handle: ({ params }) => endpointPolicies.dissociate(...associationIn(params)),
    });
  }
  route("GET", "/v3/policies/:policy_id/OS-ENDPOINT-POLICY/endpoints", {
    access: "identity:list_endpoints_for_policy",
    home: homeOf("policy_endpoints"),
    summary: "Lists the endpoints that a policy is associated with, also through their services",
    query: queryOf(...PAGE_PARAMETERS),
    response: listOf("endpoints", Type.Omit(EndpointView, ["region"])),
    handle: listHandler(deps, "endpoints", {
      open:
        ({ params: { policy_id: id } }) =>
        async (query) => {
          const endpoints = await endpointPolicies.listEndpoints(id, query);
          // As in Keystone, without the old name of the region.
          return endpoints.map((endpoint) =>
            Object.assign(endpointView(endpoint, deps.links), { region: undefined }),
          );
        },
    }),
  });
  route("GET", "/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy", {
    access: "identity:get_policy_for_endpoint",
    home: homeOf("endpoint_policy"),
    summary: "Shows the policy that applies to an endpoint",
    response: bodyOf("policy", PolicyView),
    async handle({ params }) {
      const policy = await endpointPolicies.policyOf(params.endpoint_id);
      // As in Keystone, the link is below the endpoints.
      const self = deps.links.self("/v3/endpoints", policy.id);
      return { policy: { ...policyView(policy, deps.links), links: { self } } };
    },
  });
}

function homeOf(name: string): HomeRelation[] {
  return [{ relation: extensionRelation("OS-ENDPOINT-POLICY", name) }];
}

/** The policy and the target in a path. */
function associationIn(params: Readonly<Record<string, string | undefined>>): [string, PolicyAssociation] {
  const { policy_id: id = "", endpoint_id: endpointId, service_id: serviceId, region_id: regionId } = params;
  return [id, { endpointId, serviceId, regionId }];
}
