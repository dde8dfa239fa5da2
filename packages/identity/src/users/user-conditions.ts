/** What a list of users may be filtered by. */
import { readBoolean } from "../platform/http/validation/boolean-parameter.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import type { Query } from "../platform/http/query.js";
import { readExpiryFilters } from "./password-expiry-filter.js";
import { FEDERATED_FILTERS, USER_FILTERS, type UserQuery } from "./user-store.js";

/** @throws {TimestampError} {@link OperatorError} */
export function readUserConditions(
  query: Query,
): Pick<UserQuery, "filters" | "expiry" | "enabled" | "federated"> {
  return {
    filters: readFilters(query, USER_FILTERS),
    expiry: readExpiryFilters(query),
    enabled: readBoolean(query["enabled"]),
    federated: readFilters(query, FEDERATED_FILTERS),
  };
}
