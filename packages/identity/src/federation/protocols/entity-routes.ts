/** `.../protocols/{protocol_id}/entities`: the providers that a protocol's metadata describes, to choose remote ids from by name. */
import { Type } from "typebox";

import { ProtocolSettingsError } from "../../identity-providers/identity-provider-errors.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import type { OpenedProtocol } from "../../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { series } from "../../platform/http/validation/schema-parts.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { compareNames, languagesIn, nameOf, searchFor } from "../entity-search.js";
import type { CheckDeps, ListedEntity, ProtocolTypes } from "./protocol-type.js";

export interface EntityRoutesDeps extends CheckDeps {
  readonly types: Pick<ProtocolTypes, "find">;
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: { readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol> };
}

/** Of a response; a search finds the others. */
const MAX_SHOWN = 50;

const Query = Type.Object({
  /** Words that the names, the scopes or the id have, all of them. */
  search: Type.Optional(Type.String({ maxLength: 255 })),
});

const Entity = Type.Object({
  id: Type.String(),
  /** In a language of the request; its id, where it has none. */
  name: Type.String(),
  /** The domains of its users. */
  scopes: series(Type.String()),
});

const EntitiesResponse = Type.Object({
  entities: series(Entity),
  /** How many the search found, and how many there are. */
  found: Type.Integer(),
  total: Type.Integer(),
  /** Those among the provider's remote ids. */
  chosen: series(Entity),
});

export function addEntityRoutes(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  { types, identityProviders, protocols, ...deps }: EntityRoutesDeps,
): void {
  const path = `${prefix}/identity_providers/:idp_id/protocols/:protocol_id/entities` as const;
  createRoutes(server, "identity providers")("GET", path, {
    // It sends requests to the address of the settings.
    access: "identity:update_protocol",
    summary: "Lists the identity providers that the metadata of a protocol describes",
    query: Query,
    response: EntitiesResponse,
    async handle({ query: { search = "" }, params: { idp_id: idpId, protocol_id: id }, headers }) {
      const remoteIds = new Set((await identityProviders.get(idpId)).remoteIds);
      const { settings } = await protocols.getOpened({ idpId, id });
      const listing = types.find(settings)?.listEntities?.(settings, deps);
      if (listing === undefined)
        throw new ProtocolSettingsError(
          `settings of type ${quoted(settings.type)} are those of one provider`,
        );
      const languages = languagesIn(headers["accept-language"] ?? "");
      const all = await listing;
      const found = all.filter(searchFor(search)).map((entity) => viewOf(entity, languages));
      return {
        entities: found.toSorted((one, other) => compareNames(one.name, other.name)).slice(0, MAX_SHOWN),
        found: found.length,
        total: all.length,
        chosen: all.filter((entity) => remoteIds.has(entity.id)).map((each) => viewOf(each, languages)),
      };
    },
  });
}

const viewOf = (entity: ListedEntity, languages: readonly string[]) => ({
  id: entity.id,
  name: nameOf(entity, languages),
  scopes: [...entity.scopes],
});
