/** Schemas of users in requests and responses. */
import { Type, type Static } from "typebox";

import { BooleanParameter } from "../platform/http/query.js";
import {
  bodyOf,
  Id,
  listOf,
  listQueryOf,
  Name,
  nullable,
  openObject,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";
import { GroupView } from "../groups/group.js";
import { UserOptionChanges } from "./user-options.js";

/** Identities at providers. */
const Federated = Type.Array(
  openObject({
    idp_id: Type.String(),
    protocols: Type.Array(openObject({ protocol_id: Type.String(), unique_id: Type.String() }), {
      minItems: 1,
    }),
  }),
);
export type Federated = Static<typeof Federated>;

const attributes = {
  default_project_id: Type.Optional(nullable(Type.String())),
  description: Type.Optional(nullable(Type.String())),
  domain_id: Type.Optional(Id),
  enabled: Type.Optional(Type.Boolean()),
  password: Type.Optional(nullable(Type.String())),
  options: Type.Optional(UserOptionChanges),
  federated: Type.Optional(Federated),
};

export const NewUser = bodyOf("user", openObject({ ...attributes, name: Name }));
/** A new user whose domain is known. */
export type NewUser = Static<typeof NewUser>["user"] & { readonly domain_id: string };

export const UserChange = bodyOf(
  "user",
  openObject({ ...attributes, name: Type.Optional(Name) }, { minProperties: 1 }),
);
export type UserChange = Static<typeof UserChange>["user"];

export const PasswordChange = bodyOf(
  "user",
  Type.Object({ original_password: Type.String(), password: Type.String() }, { additionalProperties: false }),
);
export type PasswordChange = Static<typeof PasswordChange>["user"];

export const PasswordReset = bodyOf(
  "user",
  Type.Object({ password: Type.Optional(Type.String()) }, { additionalProperties: false }),
);

export const UserListQuery = listQueryOf({
  domain_id: Id,
  enabled: BooleanParameter,
  name: Name,
  ...queryOf("password_expires_at", "idp_id", "protocol_id", "unique_id").properties,
});

export const UserView = openObject({
  id: Type.String(),
  name: Type.String(),
  domain_id: Type.String(),
  enabled: Type.Boolean(),
  default_project_id: Type.Optional(Type.String()),
  password_expires_at: nullable(Type.String()),
  options: openObject({}),
  federated: Type.Optional(
    Type.Array(
      Type.Object({
        idp_id: Type.String(),
        protocols: Type.Array(Type.Object({ protocol_id: Type.String(), unique_id: Type.String() })),
      }),
    ),
  ),
  source: Type.Optional(Type.Enum(["local", "federated", "directory"])),
  idp_ids: Type.Optional(Type.Array(Type.String())),
  last_active_at: Type.Optional(nullable(Type.String())),
  links: SelfLink,
});

export const UserList = listOf("users", UserView);

export const MembershipList = listOf(
  "groups",
  Type.Intersect([GroupView, Type.Object({ membership_expires_at: nullable(Type.String()) })]),
);

/** Members of a body that are not stored as attributes of the client. */
export const USER_MEMBERS = [
  "id",
  "name",
  "domain_id",
  "enabled",
  "default_project_id",
  "options",
  "links",
  "federated",
  "extra",
  "password",
  "original_password",
  "password_expires_at",
  "tenants",
  "groups",
  "domains",
];
