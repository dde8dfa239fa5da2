/** Services of the cloud as they come in and go out. */
import { Type, type Static } from "typebox";

import { bodyOf, listOf, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

const Text = Type.String({ minLength: 1, maxLength: 255 });

const attributes = {
  enabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(Text),
};

// Keystone overlooks what stands beside the service.
export const NewService = openObject({ service: openObject({ type: Text, ...attributes }) });
export type NewService = Static<typeof NewService>["service"];

export const ServiceChange = openObject({
  service: openObject(
    { id: Type.Optional(Type.Unknown()), type: Type.Optional(Text), ...attributes },
    { minProperties: 1 },
  ),
});
export type ServiceChange = Static<typeof ServiceChange>["service"];

const ServiceView = openObject({
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  links: SelfLink,
});

export const ServiceAnswer = bodyOf("service", ServiceView);
export const ServiceList = listOf("services", ServiceView);
