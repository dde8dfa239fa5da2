/** Schemas of credentials in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

const Draft = openObject({
  blob: Type.String(),
  type: Type.String(),
  user_id: Type.String(),
  project_id: Type.Optional(nullable(Type.String())),
});
export type CredentialDraft = Static<typeof Draft>;

export const NewCredential = bodyOf("credential", Draft);

/** Members other than the blob may be sent with their current values. */
const Change = Type.Object(
  {
    blob: Type.String(),
    id: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    user_id: Type.Optional(Type.String()),
    project_id: Type.Optional(nullable(Type.String())),
  },
  { additionalProperties: false },
);
export type CredentialChange = Static<typeof Change>;

export const ChangedCredential = bodyOf("credential", Change);

export const CredentialView = openObject({
  id: Type.String(),
  user_id: Type.String(),
  project_id: nullable(Type.String()),
  type: Type.String(),
  blob: Type.String(),
  links: SelfLink,
});

export const Ec2KeyView = Type.Object({
  user_id: Type.String(),
  tenant_id: nullable(Type.String()),
  access: Type.String(),
  secret: nullable(Type.String()),
  trust_id: nullable(Type.String()),
  links: SelfLink,
});
