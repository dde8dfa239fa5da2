/** The services of the API that documents use. */
import type { RoleServices } from "../assignments/index.js";
import type { RegionService } from "../catalog/regions/region-service.js";
import type { ServiceService } from "../catalog/service-service.js";
import type { GroupService } from "../groups/group-service.js";
import type { IdentityProviderService } from "../identity-providers/identity-provider-service.js";
import type { ProtocolService } from "../identity-providers/protocols/protocol-service.js";
import type { LimitServices } from "../limits/index.js";
import type { MappingService } from "../mappings/mapping-service.js";
import type { DomainService } from "../projects/domain-service.js";
import type { ProjectService } from "../projects/project-service.js";
import type { ServiceProviderService } from "../service-providers/service-provider-service.js";

/** The services of the API, all of them in one transaction. */
export interface DocumentServices
  extends
    Pick<RoleServices, "roles" | "impliedRoles" | "grants">,
    Pick<LimitServices, "registeredLimits" | "limits" | "limitTransfer"> {
  readonly domains: DomainService;
  readonly projects: ProjectService;
  readonly groups: GroupService;
  readonly services: ServiceService;
  readonly regions: RegionService;
  readonly mappings: MappingService;
  readonly identityProviders: IdentityProviderService;
  readonly protocols: ProtocolService;
  readonly serviceProviders: ServiceProviderService;
}
