/** `/identity_providers/{idp_id}/protocols` of the federation. */
import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import { homeIn, type ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { readBoolean } from "../../platform/http/query.js";
import { createResource, type ResourceDeps } from "../../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../../platform/http/route.js";
import { bodyOf } from "../../platform/http/validation/schema-parts.js";
import { withoutPrivateParts } from "./private-parts.js";
import { createProtocolSchemas, StrictQuery } from "./protocol-schema.js";
import type { CheckedProtocol, ProtocolService } from "./protocol-service.js";
import { type ProtocolKey, type StoredProtocol } from "./protocol-store.js";

export interface ProtocolRoutesDeps extends ResourceDeps {
  readonly protocols: ProtocolService;
}

/** A report only after a change. */
type ShownProtocol = StoredProtocol & Partial<Pick<CheckedProtocol, "report">>;

export function addProtocolRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { protocols, ...deps }: ProtocolRoutesDeps,
): void {
  const { NewProtocol, ChangedProtocol, ProtocolView, CheckedProtocolView, ListedProtocol } =
    createProtocolSchemas(protocols.settings);
  const providers = `${place.prefix}/identity_providers`;
  const view = ({ idpId, id, mappingId, settings, secretsSet, report }: ShownProtocol) => ({
    id,
    mapping_id: mappingId,
    ...(settings === null
      ? {}
      : { settings: { ...withoutPrivateParts(settings), secrets_set: [...secretsSet] } }),
    links: {
      self: deps.links.self(providers, idpId, "protocols", id),
      identity_provider: deps.links.self(providers, idpId),
    },
    ...(report && { checks: [...report.checks], register: { ...report.register } }),
  });
  const path = `${providers}/:idp_id/protocols` as const;
  const resource = createResource(server, deps, {
    path,
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
    bodyLimit: BODY_LIMITS.protocol,
    body: NewProtocol,
    query: StrictQuery,
    schema: CheckedProtocolView,
    put: (id, draft, request) =>
      protocols.put(keyOf(id, request), draft, {
        replaces: place.putReplaces,
        isStrict: isStrict(request),
      }),
  });
  resource.update({
    bodyLimit: BODY_LIMITS.protocol,
    body: ChangedProtocol,
    query: StrictQuery,
    schema: CheckedProtocolView,
    update: (id, change, request) =>
      protocols.update(keyOf(id, request), change, { isStrict: isStrict(request) }),
  });
  createRoutes(server, "identity providers")("POST", `${path}/:protocol_id/refresh`, {
    access: "identity:update_protocol",
    auditedAs: "identity:refresh_protocol",
    home: homeIn(place, "identity_provider_protocol_refresh", "idp_id", "protocol_id"),
    summary:
      "Reads the discovery document or metadata of a protocol's provider again, and checks the protocol",
    response: bodyOf("protocol", CheckedProtocolView),
    handle: async ({ params: { idp_id: idpId, protocol_id: id } }) => ({
      protocol: view(await protocols.refresh({ idpId, id })),
    }),
  });
  resource.delete({
    summary: "Deletes a protocol and the users of logins through it",
    delete: (id, request) => protocols.delete(keyOf(id, request)),
  });
}

function isStrict({ query }: RouteRequest): boolean {
  return readBoolean(query["strict"]) ?? false;
}

function keyOf(id: string, { params: { idp_id: idpId = "" } }: RouteRequest): ProtocolKey {
  return { idpId, id };
}
