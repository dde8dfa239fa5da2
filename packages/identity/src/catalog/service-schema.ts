/** Schemas of services in requests and responses. */
import { Type, type Static } from "typebox";

import { openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

const Text = Type.String({ minLength: 1, maxLength: 255 });

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(Text),
};

// As in Keystone, other members than `service` are ignored.
export const NewService = openObject({ service: openObject({ type: Text, ...attributes }) });
export type NewService = Static<typeof NewService>["service"];

export const ServiceChange = openObject({
  service: openObject(
    { id: Type.Optional(Type.Unknown()), type: Type.Optional(Text), ...attributes },
    { minProperties: 1 },
  ),
});
export type ServiceChange = Static<typeof ServiceChange>["service"];

export const ServiceView = openObject({
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  links: SelfLink,
});
