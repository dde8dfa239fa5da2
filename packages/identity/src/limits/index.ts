/** The area of registered limits, limits of projects and domains, and their trees. */
import type { Area, Platform } from "../area.js";
import { addEffectiveLimitRoutes, createEffectiveLimitService } from "./effective-limits.js";
import type { LimitCatalog, LimitProjects } from "./limit-references.js";
import { createLimitResponses } from "./limit-responses.js";
import { addLimitRoutes } from "./limit-routes.js";
import { createLimitService } from "./limit-service.js";
import { addRegisteredLimitRoutes } from "./registered-limit-routes.js";
import { createRegisteredLimitService } from "./registered-limit-service.js";
import { createLimitTransfer } from "./transfer/limit-transfer.js";
import { addTransferRoutes } from "./transfer/transfer-routes.js";
import { ENFORCEMENT, type EnforcementModel } from "./tree/enforcement.js";
import { addLimitTreeRoutes, createLimitTreeService } from "./tree/limit-tree-routes.js";

export function createLimitsArea(
  platform: Platform,
  uses: Pick<LimitServicesDeps, "catalog" | "projects">,
): Area & LimitServices {
  const { enforcementModel } = platform.config.limit;
  const services = createLimitServices({ ...platform, ...uses, enforcementModel });
  const deps = { ...platform, ...services };
  return {
    ...services,
    addRoutes(server) {
      addRegisteredLimitRoutes(server, deps);
      addLimitRoutes(server, deps);
      addEffectiveLimitRoutes(server, deps);
      addLimitTreeRoutes(server, deps);
      addTransferRoutes(server, deps);
    },
  };
}

interface LimitServicesDeps extends Pick<Platform, "database" | "newId"> {
  readonly catalog: LimitCatalog;
  readonly projects: LimitProjects;
  readonly enforcementModel: EnforcementModel;
}

export type LimitServices = ReturnType<typeof createLimitServices>;

/** Creates the services of limits. */
export function createLimitServices({ enforcementModel, ...given }: LimitServicesDeps) {
  const enforcement = ENFORCEMENT[enforcementModel];
  const deps = { ...given, enforcement };
  return {
    enforcement,
    limitResponses: createLimitResponses(given.database),
    registeredLimits: createRegisteredLimitService(deps),
    limits: createLimitService(deps),
    effectiveLimits: createEffectiveLimitService(deps),
    limitTrees: createLimitTreeService(deps),
    limitTransfer: createLimitTransfer(deps),
  };
}
