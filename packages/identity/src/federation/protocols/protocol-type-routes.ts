/** `/protocol_types` of the federation: the login protocols that providers may have, and the forms of their settings. */
import { Type } from "typebox";

import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { nullable, series } from "../../platform/http/validation/schema-parts.js";
import { authUrlOf } from "../assertion-verifier.js";
import type { CheckDeps, ProtocolTypes } from "./protocol-type.js";
import { ProtocolForm } from "./settings-form.js";

export interface ProtocolTypeRoutesDeps extends CheckDeps {
  readonly types: Pick<ProtocolTypes, "types">;
}

const Query = Type.Object({
  /** A protocol that need not exist yet, for what to register at its provider. */
  identity_provider_id: Type.Optional(Type.String()),
  protocol_id: Type.Optional(Type.String()),
});

const ProtocolTypesResponse = Type.Object({
  protocol_types: series(
    Type.Object({
      type: Type.String(),
      title: Type.String(),
      /** Whether protocols without settings are of this type. */
      is_default: Type.Boolean(),
      /** Whether settings may be of several providers, which `.../entities` lists. */
      lists_entities: Type.Boolean(),
      /** `null` where the console has no form for it. */
      form: nullable(ProtocolForm),
      /** What the documents of its providers are called. */
      documents: Type.Record(Type.String(), Type.String()),
      /** What to register at the provider, for the protocol of the query. */
      register: Type.Record(Type.String(), Type.String()),
    }),
  ),
});

export function addProtocolTypeRoutes(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  deps: ProtocolTypeRoutesDeps,
): void {
  createRoutes(server, "identity providers")("GET", `${prefix}/protocol_types`, {
    access: "identity:list_protocols",
    summary: "Lists the types of protocols' settings, with their forms and what to register at providers",
    query: Query,
    response: ProtocolTypesResponse,
    handle: async ({ query: { identity_provider_id: idpId, protocol_id: id } }) => ({
      protocol_types: deps.types.types.map((each) => ({
        type: each.type,
        title: each.title,
        is_default: each.defaultSettings !== undefined,
        lists_entities: each.listEntities !== undefined,
        form: each.form ?? null,
        documents: Object.fromEntries(
          Object.entries(each.documents ?? {}).map(([kind, { title }]) => [kind, title]),
        ),
        register:
          idpId === undefined || id === undefined
            ? {}
            : { ...each.register({ type: each.type }, authUrlOf(deps.links, { idpId, id }), deps) },
      })),
    }),
  });
}
