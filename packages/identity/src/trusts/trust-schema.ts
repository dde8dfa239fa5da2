/** Schemas of trusts in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import { RequestedRole, RoleView } from "../roles/role-schema.js";

/** Of a column of 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

/** Members that the service sets itself are ignored; unknown ones are stored and shown. */
export const NewTrust = bodyOf(
  "trust",
  openObject({
    trustor_user_id: Type.String(),
    trustee_user_id: Type.String(),
    impersonation: Type.Boolean(),
    project_id: Type.Optional(nullable(Type.String())),
    roles: Type.Optional(Type.Array(RequestedRole)),
    expires_at: Type.Optional(nullable(Type.String())),
    remaining_uses: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MAX_COUNT }))),
    allow_redelegation: Type.Optional(nullable(Type.Boolean())),
    redelegation_count: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: MAX_COUNT }))),
  }),
);
export type NewTrust = Static<typeof NewTrust>["trust"];

/** Members of a new trust that are not stored as they are. */
export const TRUST_MEMBERS = [
  "id",
  "trustor_user_id",
  "trustee_user_id",
  "impersonation",
  "project_id",
  "roles",
  "roles_links",
  "links",
  "expires_at",
  "expires_at_int",
  "remaining_uses",
  "allow_redelegation",
  "redelegation_count",
  "redelegated_trust_id",
  "deleted_at",
];

export const TrustView = openObject({
  id: Type.String(),
  trustor_user_id: Type.String(),
  trustee_user_id: Type.String(),
  project_id: nullable(Type.String()),
  impersonation: Type.Boolean(),
  expires_at: nullable(Type.String()),
  remaining_uses: nullable(Type.Integer()),
  redelegation_count: Type.Integer(),
  redelegated_trust_id: nullable(Type.String()),
  deleted_at: Type.Null(),
  // Not in lists, with the links.
  roles: Type.Optional(Type.Array(RoleView)),
  roles_links: Type.Optional(Type.Object({ self: Type.String(), next: Type.Null(), previous: Type.Null() })),
  links: SelfLink,
});

export const TrustedRoleResponse = Type.Object({ role: RoleView });
