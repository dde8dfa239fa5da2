/** Trusts: fields, schemas, table and errors. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import { json, tableOf, type RowOf } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";
import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";
import { RequestedRole, RoleView } from "../roles/role.js";

/** Also a trust that was deleted, has expired or is used up. */
export class TrustNotFoundError extends notFoundClass("trust", "trusts/not-found") {}

/** The trustor has an equal trust that expires at the same moment. */
export class TrustExistsError extends errorClass(
  ConflictError,
  "trusts/exists",
  (id: string) => `Conflict occurred attempting to store trust - Duplicate entry found with ID ${id}.`,
) {}

export class NoRolesError extends errorClass(
  ForbiddenError,
  "trusts/no-roles",
  "You are not authorized to perform the requested action: At least one role should be specified.",
) {}

/** The trustor does not have the role on the project, or it does not exist. */
export class TrustedRoleNotFoundError extends notFoundClass("role", "trusts/role-not-found") {}

export class TrustedRoleNameError extends errorClass(
  NotFoundError,
  "trusts/role-name-not-found",
  (name: string) => `Role ${name} is not defined`,
) {}

export class UsesWithRedelegationError extends errorClass(
  InvalidError,
  "trusts/uses-with-redelegation",
  "remaining_uses must not be set if redelegation is allowed",
) {}

/** Redelegation is disabled, or exceeds the limits of the trust or of the service. */
export class RedelegationError extends errorClass(
  ForbiddenError,
  "trusts/redelegation",
  (reason: string) => `You are not authorized to perform the requested action: ${reason}.`,
) {}

/** A trust's token deletes its own trust and those redelegated from it. */
export class ForeignTrustError extends errorClass(
  ForbiddenError,
  "trusts/foreign",
  "You are not authorized to perform the requested action: a trust's token deletes only its own trust and those redelegated from it.",
) {}

/** Roles on a project that one user, the trustor, passes on to another, the trustee. */
export interface Trust {
  readonly id: string;
  readonly trustorId: string;
  readonly trusteeId: string;
  /** A trust without a project gives no token. */
  readonly projectId: string | null;
  /** Whether its tokens are for the trustor; otherwise for the trustee. */
  readonly impersonation: boolean;
  readonly expiresAt: Moment | null;
  /** Behind the millisecond: 0 to 999. */
  readonly expiresMicros: number | null;
  /** The logins that it still allows; `null` for any number. */
  readonly remainingUses: number | null;
  /** How often it may be passed on. */
  readonly redelegationCount: number;
  /** The trust that it was passed on from. */
  readonly redelegatedTrustId: string | null;
  /** Set in trusts that Keystone has deleted: they are not found. */
  readonly deletedAt: Moment | null;
  readonly extra: Attributes;
}

export const trustTable = tableOf<Trust>()(
  "trust",
  {
    id: "id",
    trustorId: "trustor_user_id",
    trusteeId: "trustee_user_id",
    projectId: "project_id",
    impersonation: "impersonation",
    expiresAt: "expires_at",
    expiresMicros: "expires_micros",
    remainingUses: "remaining_uses",
    redelegationCount: "redelegation_count",
    redelegatedTrustId: "redelegated_trust_id",
    deletedAt: "deleted_at",
    extra: json("extra"),
  },
  TrustNotFoundError,
  { resource: "OS-TRUST:trust", without: ["updated"] },
);

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

/** The row of a trust, with the moment at which its last use was taken. */
export type StoredTrustRow = RowOf<typeof trustTable> & { readonly used_up_at: Moment | null };

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
