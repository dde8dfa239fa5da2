/** Creates the services of limits. */
import type { Database } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { createEffectiveLimitService } from "./effective-limit-service.js";
import { ENFORCEMENT, type EnforcementModel } from "./tree/enforcement.js";
import { createLimitResponses } from "./limit-responses.js";
import type { LimitCatalog, LimitProjects } from "./limit-references.js";
import { createLimitService } from "./limit-service.js";
import { createLimitTreeService } from "./tree/limit-tree-service.js";
import { createLimitTransfer } from "./transfer/limit-transfer.js";
import { createRegisteredLimitService } from "./registered-limit-service.js";

export interface LimitServicesDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly catalog: LimitCatalog;
  readonly projects: LimitProjects;
  readonly enforcementModel: EnforcementModel;
}

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
