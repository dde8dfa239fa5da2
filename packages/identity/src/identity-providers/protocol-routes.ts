/** `/identity_providers/{idp_id}/protocols` of the federation. */
import { homeIn, type ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import { ChangedProtocol, NewProtocol, ProtocolAnswer, ProtocolList } from "./protocol-schema.js";
import type { ProtocolService } from "./protocol-service.js";
import type { ProtocolKey, StoredProtocol } from "./protocol-store.js";

export interface ProtocolRoutesDeps {
  readonly protocols: ProtocolService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

const tags = ["identity providers"];
const params = pathOf("idp_id", "protocol_id");

/** Bytes of a protocol: metadata of SAML may be larger than what is sent elsewhere. */
const bodyLimit = 2 << 20;

export function addProtocolRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { protocols, links, listLimit }: ProtocolRoutesDeps,
): void {
  const providers = `${place.prefix}/identity_providers`;
  const collection = `${providers}/:idp_id/protocols`;
  const member = `${collection}/:protocol_id`;
  const viewOf = ({ idpId, id, mappingId, settings, secretsSet }: StoredProtocol) => {
    const provider = links.self(providers, idpId);
    return {
      id,
      mapping_id: mappingId,
      ...(settings === null ? {} : { settings: { ...settings, secrets_set: [...secretsSet] } }),
      links: { self: links.self(providers, idpId, "protocols", id), identity_provider: provider },
    };
  };
  const show = (protocol: StoredProtocol) => ({ protocol: viewOf(protocol) });
  const showInList = (protocol: StoredProtocol) => ({
    ...viewOf(protocol),
    idp_id: protocol.idpId,
    remote_id_attribute: protocol.remoteIdAttribute,
  });

  server.get(
    collection,
    {
      config: {
        access: "identity:list_protocols",
        home: homeIn(place, "identity_provider_protocols", "idp_id"),
      },
      schema: {
        tags,
        summary: "Lists the protocols of an identity provider",
        params: pathOf("idp_id"),
        querystring: queryOf(...PAGE_PARAMETERS),
        response: { 200: ProtocolList },
      },
    },
    async ({ params: { idp_id: idpId }, query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => (await protocols.list(idpId, part)).map(showInList);
      return sendPages(reply, "protocols", readPart, { page, links, url });
    },
  );

  server.get(
    member,
    {
      config: {
        access: "identity:get_protocol",
        home: homeIn(place, "identity_provider_protocol", "idp_id", "protocol_id"),
      },
      schema: { tags, summary: "Shows a protocol", params, response: { 200: ProtocolAnswer } },
    },
    async ({ params: ids }) => show(await protocols.get(keyOf(ids))),
  );

  server.put(
    member,
    {
      bodyLimit,
      config: { access: "identity:create_protocol" },
      schema: {
        tags,
        summary: place.putReplaces ? "Creates or replaces a protocol" : "Creates a protocol",
        params,
        body: NewProtocol,
        response: { 200: ProtocolAnswer, 201: ProtocolAnswer },
      },
    },
    async ({ params: ids, body }, reply) => {
      const options = { replaces: place.putReplaces };
      const { protocol, isNew } = await protocols.put(keyOf(ids), body.protocol, options);
      return reply.code(isNew ? 201 : 200).send(show(protocol));
    },
  );

  server.patch(
    member,
    {
      bodyLimit,
      config: { access: "identity:update_protocol" },
      schema: {
        tags,
        summary: "Changes a protocol",
        params,
        body: ChangedProtocol,
        response: { 200: ProtocolAnswer },
      },
    },
    async ({ params: ids, body }) => show(await protocols.update(keyOf(ids), body.protocol)),
  );

  server.delete(
    member,
    {
      config: { access: "identity:delete_protocol" },
      schema: { tags, summary: "Deletes a protocol, and the users who came in by it", params },
    },
    async ({ params: ids }, reply) => {
      await protocols.delete(keyOf(ids));
      return reply.code(204).send();
    },
  );
}

function keyOf(ids: { readonly idp_id: string; readonly protocol_id: string }): ProtocolKey {
  return { idpId: ids.idp_id, id: ids.protocol_id };
}
