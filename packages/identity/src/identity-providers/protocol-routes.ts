/** `/identity_providers/{idp_id}/protocols` of the federation. */
import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import type { RouteRequest } from "../platform/http/route.js";
import { ChangedProtocol, ListedProtocol, NewProtocol, ProtocolView } from "./protocol-schema.js";
import type { ProtocolService } from "./protocol-service.js";
import type { ProtocolKey, StoredProtocol } from "./protocol-store.js";

export interface ProtocolRoutesDeps extends ResourceDeps {
  readonly protocols: ProtocolService;
}

/** More than other bodies may have: SAML metadata. */
const BODY_LIMIT_BYTES = 2 << 20;

export function addProtocolRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { protocols, ...deps }: ProtocolRoutesDeps,
): void {
  const providers = `${place.prefix}/identity_providers`;
  const view = ({ idpId, id, mappingId, settings, secretsSet }: StoredProtocol) => ({
    id,
    mapping_id: mappingId,
    ...(settings === null ? {} : { settings: { ...settings, secrets_set: [...secretsSet] } }),
    links: {
      self: deps.links.self(providers, idpId, "protocols", id),
      identity_provider: deps.links.self(providers, idpId),
    },
  });
  const resource = createResource(server, deps, {
    path: `${providers}/:idp_id/protocols`,
    id: "protocol_id",
    name: "protocol",
    relation: "identity_provider_protocol",
    place,
    tag: "identity providers",
    schema: ProtocolView,
    view,
  });
  resource.list({
    summary: "Lists the protocols of an identity provider",
    read: (query, { params }) => protocols.list(params["idp_id"] ?? "", query),
    schema: ListedProtocol,
    view: (protocol) => ({
      ...view(protocol),
      idp_id: protocol.idpId,
      remote_id_attribute: protocol.remoteIdAttribute,
    }),
  });
  resource.show({ read: (id, request) => protocols.get(keyOf(id, request)) });
  resource.put({
    bodyLimit: BODY_LIMIT_BYTES,
    body: NewProtocol,
    put: (id, draft, request) => protocols.put(keyOf(id, request), draft, { replaces: place.putReplaces }),
  });
  resource.update({
    bodyLimit: BODY_LIMIT_BYTES,
    body: ChangedProtocol,
    update: (id, change, request) => protocols.update(keyOf(id, request), change),
  });
  resource.delete({
    summary: "Deletes a protocol and the users of logins through it",
    delete: (id, request) => protocols.delete(keyOf(id, request)),
  });
}

function keyOf(id: string, { params: { idp_id: idpId = "" } }: RouteRequest): ProtocolKey {
  return { idpId, id };
}
