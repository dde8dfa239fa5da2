/** Creates the services of all features. */
import { createLoginFeatures } from "./login-features.js";
import { createResourceFeatures, type FeaturesDeps } from "./resource-features.js";

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(deps: FeaturesDeps) {
  const resources = createResourceFeatures(deps);
  return { ...resources, ...createLoginFeatures(deps, resources) };
}
