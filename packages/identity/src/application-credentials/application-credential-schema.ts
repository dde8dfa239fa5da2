/** Schemas of application credentials and access rules in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, Id, Name, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { RequestedRole } from "../roles/role-schema.js";

const METHODS = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"] as const;

/** By its id, or a new one by the other members; which of them it needs depends on whether the user has it. */
const AccessRuleDraft = Type.Object({
  id: Type.Optional(Type.String()),
  service: Type.Optional(Id),
  method: Type.Optional(Type.Enum([...METHODS])),
  path: Type.Optional(Type.String({ maxLength: 225, pattern: String.raw`^/\.*` })),
});
export type AccessRuleDraft = Static<typeof AccessRuleDraft>;

/** `id` and `project_id` are ignored, as in Keystone. */
export const NewApplicationCredential = bodyOf(
  "application_credential",
  Type.Object(
    {
      id: Type.Optional(Type.String()),
      name: Name,
      secret: Type.Optional(nullable(Type.String())),
      description: Type.Optional(nullable(Type.String())),
      project_id: Type.Optional(Type.String()),
      system: Type.Optional(nullable(Type.String())),
      expires_at: Type.Optional(nullable(Type.String())),
      roles: Type.Optional(Type.Array(RequestedRole)),
      unrestricted: Type.Optional(nullable(Type.Boolean())),
      access_rules: Type.Optional(Type.Array(AccessRuleDraft)),
    },
    { additionalProperties: false },
  ),
);
export type NewApplicationCredential = Static<typeof NewApplicationCredential>["application_credential"];

const ShownAccessRule = Type.Object({
  id: Type.String(),
  service: Type.String(),
  path: Type.String(),
  method: Type.String(),
});

export const ApplicationCredentialView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  user_id: Type.String(),
  project_id: Type.String(),
  system: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  unrestricted: nullable(Type.Boolean()),
  roles: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        domain_id: nullable(Type.String()),
        description: nullable(Type.String()),
        options: Type.Object({}, { additionalProperties: true }),
      },
      { additionalProperties: true },
    ),
  ),
  access_rules: Type.Optional(Type.Array(ShownAccessRule)),
  secret: Type.Optional(Type.String()),
  links: SelfLink,
});

export const AccessRuleView = Type.Object({ ...ShownAccessRule.properties, links: SelfLink });
