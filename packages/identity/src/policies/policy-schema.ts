/** Schemas of policies in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

const Blob = Type.String();
const PolicyType = Type.String({ maxLength: 255 });

export const NewPolicy = bodyOf("policy", openObject({ blob: Blob, type: PolicyType }));
export type NewPolicy = Static<typeof NewPolicy>["policy"];

export const PolicyChange = bodyOf(
  "policy",
  openObject(
    { id: Type.Optional(Type.Unknown()), blob: Type.Optional(Blob), type: Type.Optional(PolicyType) },
    { minProperties: 1 },
  ),
);
export type PolicyChange = Static<typeof PolicyChange>["policy"];

export const PolicyView = openObject({
  id: Type.String(),
  blob: Type.String(),
  type: Type.String(),
  links: SelfLink,
});
