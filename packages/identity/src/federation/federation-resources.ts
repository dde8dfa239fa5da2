/** What the federation is made of, under each of the prefixes by which clients reach it. */
import {
  addIdentityProviderRoutes,
  type IdentityProviderRoutesDeps,
} from "../identity-providers/identity-provider-routes.js";
import { addProtocolRoutes, type ProtocolRoutesDeps } from "../identity-providers/protocol-routes.js";
import { addMappingRoutes, type MappingRoutesDeps } from "../mappings/mapping-routes.js";
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import {
  addServiceProviderRoutes,
  type ServiceProviderRoutesDeps,
} from "../service-providers/service-provider-routes.js";

/** Keystone's clients rely on a second PUT being refused; the extension's own prefixes keep to what PUT means. */
export const FEDERATION_PLACES: readonly ExtensionPlace[] = [
  { prefix: "/v3/OS-FEDERATION", putReplaces: false, homeName: "OS-FEDERATION" },
  { prefix: "/v3/EXT-FEDERATION", putReplaces: true },
  { prefix: "/EXT-FEDERATION", putReplaces: true },
];

export type FederationResourcesDeps = IdentityProviderRoutesDeps &
  ProtocolRoutesDeps &
  MappingRoutesDeps &
  ServiceProviderRoutesDeps;

export function addFederationResources(server: HttpServer, deps: FederationResourcesDeps): void {
  for (const place of FEDERATION_PLACES) {
    addIdentityProviderRoutes(server, place, deps);
    addProtocolRoutes(server, place, deps);
    addMappingRoutes(server, place, deps);
    addServiceProviderRoutes(server, place, deps);
  }
}
