/** The federation's resources and the service's SAML metadata, under each prefix of the extension. */
import { Type } from "typebox";

import {
  addIdentityProviderRoutes,
  type IdentityProviderRoutesDeps,
} from "../identity-providers/identity-provider-routes.js";
import {
  addProtocolRoutes,
  type ProtocolRoutesDeps,
} from "../identity-providers/protocols/protocol-routes.js";
import { addMappingRoutes, type MappingRoutesDeps } from "../mappings/mapping-routes.js";
import { addRefusedLoginRoutes, type RefusedLoginRoutesDeps } from "./login-records/refused-login-routes.js";
import {
  addProviderHealthRoutes,
  type ProviderHealthRoutesDeps,
} from "./provider-health/provider-health-routes.js";
import { addTestLoginRoutes, type TestLoginRoutesDeps } from "./test-login/test-login-routes.js";
import { addRecordingRoutes, type RecordingRoutesDeps } from "./recording/recording-routes.js";
import { addWorkbenchRoutes, type WorkbenchRoutesDeps } from "./workbench/workbench-routes.js";
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import {
  addServiceProviderRoutes,
  type ServiceProviderRoutesDeps,
} from "../service-providers/service-provider-routes.js";

/** Keystone's clients rely on a conflict at the second PUT; under the extension's own prefixes PUT replaces, as in HTTP. */
export const FEDERATION_PLACES: readonly ExtensionPlace[] = [
  { prefix: "/v3/OS-FEDERATION", putReplaces: false, homeName: "OS-FEDERATION" },
  { prefix: "/v3/EXT-FEDERATION", putReplaces: true },
  { prefix: "/EXT-FEDERATION", putReplaces: true },
];

export type FederationResourcesDeps = IdentityProviderRoutesDeps &
  ProtocolRoutesDeps &
  MappingRoutesDeps &
  TestLoginRoutesDeps &
  RefusedLoginRoutesDeps &
  ProviderHealthRoutesDeps &
  WorkbenchRoutesDeps &
  RecordingRoutesDeps &
  ServiceProviderRoutesDeps & { readonly serviceMetadata: () => Promise<string> };

export function addFederationResources(server: HttpServer, deps: FederationResourcesDeps): void {
  for (const place of FEDERATION_PLACES) {
    addIdentityProviderRoutes(server, place, deps);
    addProtocolRoutes(server, place, deps);
    addTestLoginRoutes(server, place, deps);
    addRefusedLoginRoutes(server, place, deps);
    addProviderHealthRoutes(server, place, deps);
    addMappingRoutes(server, place, deps);
    addWorkbenchRoutes(server, place, deps);
    addRecordingRoutes(server, place, deps);
    addServiceProviderRoutes(server, place, deps);
    addMetadataRoute(server, place, deps);
  }
}

function addMetadataRoute(
  server: HttpServer,
  { prefix }: ExtensionPlace,
  { serviceMetadata }: FederationResourcesDeps,
): void {
  server.get(
    `${prefix}/saml2/metadata`,
    {
      config: { access: "public" },
      schema: {
        tags: ["SAML"],
        summary: "Shows the service's SAML metadata",
        response: { 200: Type.String() },
      },
    },
    async (_request, reply) => reply.header("content-type", "text/xml").send(await serviceMetadata()),
  );
}
