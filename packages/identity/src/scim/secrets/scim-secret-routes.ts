/** `/identity_providers/{idp_id}/scim_secrets` of the federation: the secrets of a provider's SCIM client. */
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../../platform/http/resource.js";
import type { RouteRequest } from "../../platform/http/route.js";
import type { Moment } from "../../platform/clock.js";
import { CreatedScimSecretView, NewScimSecret, ScimSecretView, type ScimSecret } from "./scim-secret.js";
import type { ScimSecretKey, ScimSecretService } from "./scim-secret-service.js";

export interface ScimSecretRoutesDeps extends ResourceDeps {
  readonly secrets: ScimSecretService;
}

type ShownSecret = ScimSecret & { readonly secret?: string };

export function addScimSecretRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { secrets, ...deps }: ScimSecretRoutesDeps,
): void {
  const providers = `${place.prefix}/identity_providers`;
  const resource = createResource(server, deps, {
    path: `${providers}/:idp_id/scim_secrets`,
    id: "secret_id",
    name: "scim_secret",
    place,
    tag: "identity providers",
    schema: ScimSecretView,
    view: ({ id, idpId, description, createdAt, expiresAt, lastUsedAt, secret }: ShownSecret) => ({
      id,
      description,
      created_at: timeText(createdAt),
      expires_at: timeText(expiresAt),
      last_used_at: lastUsedAt === null ? null : timeText(lastUsedAt),
      ...(secret !== undefined && { secret }),
      links: { self: deps.links.self(providers, idpId, "scim_secrets", id) },
    }),
  });
  resource.list({
    summary: "Lists the SCIM secrets of an identity provider",
    read: (query, { params }) => secrets.list(params["idp_id"] ?? "", query),
  });
  resource.create({
    summary: "Creates a SCIM secret, which is shown once",
    body: NewScimSecret,
    schema: CreatedScimSecretView,
    create: (draft, { params }) => secrets.create(params["idp_id"] ?? "", draft),
  });
  resource.show({
    summary: "Shows a SCIM secret, without the secret itself",
    read: (id, request) => secrets.get(keyOf(id, request)),
  });
  resource.delete({
    summary: "Deletes a SCIM secret",
    delete: (id, request) => secrets.delete(keyOf(id, request)),
  });
}

function keyOf(id: string, { params: { idp_id: idpId = "" } }: RouteRequest): ScimSecretKey {
  return { idpId, id };
}

/** In UTC, as Keystone writes times. */
function timeText(moment: Moment): string {
  return new Date(moment).toISOString().replace("Z", "000Z");
}
