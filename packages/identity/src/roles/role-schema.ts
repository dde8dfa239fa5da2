/** Schemas of roles in requests and responses. */
import { Type, type Static } from "typebox";

import {
  bodyOf,
  Id,
  listQueryOf,
  Name,
  nullable,
  openObject,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

const RoleOptions = Type.Object(
  { immutable: Type.Optional(nullable(Type.Boolean())) },
  { additionalProperties: false },
);

const attributes = {
  description: Type.Optional(nullable(Type.String())),
  domain_id: Type.Optional(nullable(Id)),
  options: Type.Optional(RoleOptions),
};

export const NewRole = bodyOf("role", openObject({ name: Name, ...attributes }));
export type NewRole = Static<typeof NewRole>["role"];

export const RoleChange = bodyOf(
  "role",
  openObject(
    { id: Type.Optional(Type.Unknown()), name: Type.Optional(Name), ...attributes },
    { minProperties: 1 },
  ),
);
export type RoleChange = Static<typeof RoleChange>["role"];

export const RoleListQuery = listQueryOf({ name: Name, domain_id: Id });

export const RoleView = openObject({
  id: Type.String(),
  name: Type.String(),
  domain_id: nullable(Type.String()),
  description: nullable(Type.String()),
  options: openObject({}),
  links: SelfLink,
});

/** How a request names a role that is passed on. */
export const RequestedRole = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Name) },
  { minProperties: 1, maxProperties: 1 },
);

const RoleReference = Type.Object({ id: Type.String(), name: Type.String(), links: SelfLink });

/** One implied role. */
export const ImpliedRoleResponse = Type.Object({
  role_inference: Type.Object({ prior_role: RoleReference, implies: RoleReference }),
  links: SelfLink,
});

/** All roles that a role implies. */
export const ImpliedRolesResponse = Type.Object({
  role_inference: Type.Object({ prior_role: RoleReference, implies: Type.Array(RoleReference) }),
  links: SelfLink,
});

/** All roles that imply others. */
export const InferenceList = Type.Object({
  role_inferences: Type.Array(Type.Object({ prior_role: RoleReference, implies: Type.Array(RoleReference) })),
});
