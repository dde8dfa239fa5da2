/** Schemas of identity providers in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, Id, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";

const MAX_AUTHORIZED_DOMAINS = 1000;

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(nullable(Type.String())),
  // Minutes; the column has 32 bits.
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

/** All members are optional, the provider itself too. */
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
  // Left out for a provider of all domains: Keystone has no such attribute.
  authorized_domains: Type.Optional(Type.Array(Type.String())),
};

export const IdentityProviderView = Type.Object({ ...view, links: SelfLink });
/** In lists. */
export const ListedIdentityProvider = Type.Object({
  ...view,
  links: Type.Object({ self: Type.String(), protocols: Type.String() }),
});
