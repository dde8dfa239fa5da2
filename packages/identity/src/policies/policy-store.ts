/** Policies in the database. */
import type { Attributes } from "../platform/attributes.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { json, tableOf } from "../platform/database/table.js";
import { PolicyNotFoundError } from "./policy-errors.js";

/** Rules that a service of the cloud reads. This service stores them, and does not apply them. */
export interface Policy {
  readonly id: string;
  /** The media type of the blob, by convention. */
  readonly type: string;
  /** The rules, as text. */
  readonly blob: string;
  readonly extra: Attributes;
}

/** Its associations are deleted with it. */
export const policyTable = tableOf<Policy>()(
  "policy",
  { id: "id", type: "type", blob: "blob", extra: json("extra") },
  PolicyNotFoundError,
);

/** Columns that a list may be filtered by. */
export const POLICY_FILTERS = ["type"] as const;

export type PolicyQuery = ListQuery<(typeof POLICY_FILTERS)[number]>;
