/** The area of keystone-to-keystone: assertions for other clouds. */
import type { Area, Platform } from "../area.js";
import { addK2kRoutes } from "./k2k-routes.js";
import { createK2kResponder, type K2kDeps } from "./k2k-service.js";

export function createK2kArea(
  platform: Platform,
  uses: Omit<K2kDeps, "assertionLifetimeMs" | keyof Platform>,
): Area {
  const k2kRespond = createK2kResponder({
    ...platform,
    ...uses,
    assertionLifetimeMs: platform.config.saml.assertionSeconds * 1000,
  });
  return { addRoutes: (server) => addK2kRoutes(server, { ...platform, k2kRespond }) };
}
