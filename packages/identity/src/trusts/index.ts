/** The area of trusts. */
import type { AreaWithServices, Platform } from "../area.js";
import { addTrustRoutes } from "./trust-routes.js";
import { createTrustService, type TrustServiceDeps } from "./trust-service.js";

export function createTrustsArea(
  platform: Platform,
  uses: Pick<TrustServiceDeps, "users" | "projects" | "roles" | "retentionMs">,
) {
  const { allowsRedelegation: isAllowed, maxRedelegationCount: maxCount } = platform.config.trust;
  const trusts = createTrustService({ ...platform, ...uses, redelegation: { isAllowed, maxCount } });
  return {
    trusts,
    addRoutes: (server) => addTrustRoutes(server, { ...platform, trusts }),
  } satisfies AreaWithServices;
}
