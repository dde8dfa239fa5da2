/** Schemas of consumers, authorizations and access tokens. */
import { Type, type Static } from "typebox";

import { nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import { RequestedRole, RoleView } from "../roles/role-schema.js";

const attributes = { description: Type.Optional(nullable(Type.String())) };

const Draft = openObject(attributes);
export type ConsumerDraft = Static<typeof Draft>;

/** As in Keystone, a consumer needs no attributes, nor the member that holds them. */
export const NewConsumer = Type.Object({ consumer: Type.Optional(Draft) });

export const ChangedConsumer = Type.Object({ consumer: openObject(attributes, { minProperties: 1 }) });

export const ConsumerView = openObject({
  id: Type.String(),
  description: nullable(Type.String()),
  /** In the response to its creation alone. */
  secret: Type.Optional(Type.String()),
  links: SelfLink,
});

export const Authorization = Type.Object({ roles: Type.Optional(Type.Array(RequestedRole)) });
export type RequestedRoles = readonly Static<typeof RequestedRole>[];

export const VerifierResponse = Type.Object({ token: Type.Object({ oauth_verifier: Type.String() }) });

export const AccessTokenView = Type.Object({
  id: Type.String(),
  consumer_id: Type.String(),
  project_id: Type.String(),
  authorizing_user_id: nullable(Type.String()),
  expires_at: Type.String(),
  links: Type.Object({ self: Type.String(), roles: Type.String() }),
});

/** As in Keystone, without the description. */
export const AuthorizedRoleView = Type.Omit(RoleView, ["description"]);
