/** Identity providers as they come in and go out. */
import { Type, type Static } from "typebox";

import { bodyOf, Id, listOf, nullable } from "../platform/http/validation/schema-parts.js";

const MAX_AUTHORIZED_DOMAINS = 1000;

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(nullable(Type.String())),
  // Minutes, of which the database counts 32 bits.
  authorization_ttl: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }))),
  remote_ids: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 64 }), { uniqueItems: true }))),
  authorized_domains: Type.Optional(
    nullable(Type.Array(Id, { uniqueItems: true, maxItems: MAX_AUTHORIZED_DOMAINS })),
  ),
};

const Draft = Type.Object(
  { domain_id: Type.Optional(nullable(Id)), ...attributes },
  { additionalProperties: false },
);
export type IdentityProviderDraft = Static<typeof Draft>;

/** Everything may be left out, the provider itself too. */
export const NewIdentityProvider = Type.Object(
  { identity_provider: Type.Optional(Draft) },
  { additionalProperties: false },
);

const Change = Type.Object(attributes, { additionalProperties: false, minProperties: 1 });
export type IdentityProviderChange = Static<typeof Change>;

export const ChangedIdentityProvider = bodyOf("identity_provider", Change);

const view = {
  id: Type.String(),
  domain_id: Type.String(),
  enabled: Type.Boolean(),
  description: nullable(Type.String()),
  remote_ids: Type.Array(Type.String()),
  authorization_ttl: nullable(Type.Integer()),
  // Left out where the provider is held to no domains: Keystone has no such attribute.
  authorized_domains: Type.Optional(Type.Array(Type.String())),
};

export const IdentityProviderAnswer = bodyOf(
  "identity_provider",
  Type.Object({ ...view, links: Type.Object({ self: Type.String() }) }),
);
export const IdentityProviderList = listOf(
  "identity_providers",
  Type.Object({ ...view, links: Type.Object({ self: Type.String(), protocols: Type.String() }) }),
);
