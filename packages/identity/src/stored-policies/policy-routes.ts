/** `/v3/policies` */
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { NewPolicy, PolicyChange, PolicyView, POLICY_FILTERS, type Policy } from "./policy.js";
import type { PolicyService } from "./policy-service.js";

export function addPolicyRoutes(
  server: HttpServer,
  { policies, ...deps }: ResourceDeps & { readonly policies: PolicyService },
): void {
  const resource = createResource(server, deps, {
    path: "/v3/policies",
    id: "policy_id",
    name: "policy",
    plural: "policies",
    schema: PolicyView,
    view: (policy: Policy) => policyView(policy, deps.links),
  });
  resource.list({ filters: POLICY_FILTERS, read: policies.list });
  resource.create({ body: NewPolicy, create: policies.create });
  resource.show({ read: policies.get });
  resource.update({ body: PolicyChange, update: policies.update });
  resource.delete({ delete: policies.delete });
}

/** A policy in responses. */
export function policyView({ extra, ...policy }: Policy, links: Links) {
  return { ...extra, ...policy, links: { self: links.self("/v3/policies", policy.id) } };
}
