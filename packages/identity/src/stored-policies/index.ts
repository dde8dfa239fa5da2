/** The area of the policies that services of the cloud read, and the endpoints they apply to. */
import type { Area, Platform } from "../area.js";
import { addEndpointPolicyRoutes } from "./endpoint-policy-routes.js";
import { createEndpointPolicyService } from "./endpoint-policy-service.js";
import { addPolicyRoutes } from "./policy-routes.js";
import { createPolicyService } from "./policy-service.js";

export function createPoliciesArea(platform: Platform): Area {
  return {
    addRoutes(server) {
      addPolicyRoutes(server, { ...platform, policies: createPolicyService(platform) });
      addEndpointPolicyRoutes(server, {
        ...platform,
        endpointPolicies: createEndpointPolicyService(platform),
      });
    },
  };
}
