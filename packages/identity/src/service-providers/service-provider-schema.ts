/** Schemas of service providers in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";

const Address = Type.String({ maxLength: 225, pattern: "^[a-zA-Z0-9+.-]+:.+" });

const attributes = {
  description: Type.Optional(nullable(Type.String())),
  enabled: Type.Optional(Type.Boolean()),
  relay_state_prefix: Type.Optional(Type.String()),
};

const Draft = Type.Object(
  { auth_url: Address, sp_url: Address, ...attributes },
  { additionalProperties: false },
);
export type ServiceProviderDraft = Static<typeof Draft>;

export const NewServiceProvider = bodyOf("service_provider", Draft);

const Change = Type.Object(
  { auth_url: Type.Optional(Address), sp_url: Type.Optional(Address), ...attributes },
  { additionalProperties: false, minProperties: 1 },
);
export type ServiceProviderChange = Static<typeof Change>;

export const ChangedServiceProvider = bodyOf("service_provider", Change);

export const ServiceProviderView = Type.Object({
  id: Type.String(),
  auth_url: Type.String(),
  sp_url: Type.String(),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  relay_state_prefix: Type.String(),
  links: SelfLink,
});
