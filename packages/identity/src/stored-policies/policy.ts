/** Policies that services of the cloud read: fields, schemas, table and errors. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../platform/database/table.js";
import { errorClass, InvalidError, NotFoundError } from "../platform/errors.js";
import { bodyOf, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

class PolicyNotFoundError extends errorClass(
  NotFoundError,
  "policy/not-found",
  (id: string) => `Could not find policy: ${id}.`,
) {}

export class PolicyIdChangeError extends errorClass(
  InvalidError,
  "policy/id-change",
  "Cannot change policy ID",
) {}

/** The policy is not associated with the endpoint, service or region. */
export class PolicyAssociationNotFoundError extends errorClass(
  NotFoundError,
  "policy/association-not-found",
  "Could not find policy association.",
) {}

/** Neither the endpoint nor its service has a policy. */
export class NoPolicyOfEndpointError extends errorClass(
  NotFoundError,
  "policy/none-of-endpoint",
  (endpointId: string) => `No policy is associated with endpoint ${endpointId}.`,
) {}

const policyFields = declareFields({
  id: Type.String(),
  /** The rules, as text. */
  blob: Type.String(),
  /** The media type of the blob, by convention. */
  type: Type.String(),
});

/** Rules that a service of the cloud reads. This service stores them, and does not apply them. */
export interface Policy extends ItemOf<typeof policyFields> {
  readonly extra: Attributes;
}

/** Its associations are deleted with it. */
export const policyTable = tableOf<Policy>()(
  "policy",
  { ...policyFields.columns, extra: json("extra") },
  PolicyNotFoundError,
  { resource: "policy" },
);

/** Columns that a list may be filtered by. */
export const POLICY_FILTERS = ["type"] as const;

export type PolicyQuery = ListQuery<(typeof POLICY_FILTERS)[number]>;

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

export const PolicyView = openObject({ ...policyFields.shape, links: SelfLink });

/** Members of a body that are not stored as attributes of the client. */
export const POLICY_MEMBERS = [...policyFields.names, "links"];
