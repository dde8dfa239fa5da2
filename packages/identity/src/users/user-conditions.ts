/** What a list of users may be filtered by. */
import { readBoolean } from "../platform/http/boolean-parameter.js";
import { readFilters } from "../platform/http/list-filters.js";
import type { Query } from "../platform/http/query.js";
import { readExpiryFilters } from "./password-expiry-filter.js";
import { USER_FILTERS, type UserQuery } from "./user-store.js";

/** @throws {TimestampError} {@link OperatorError} */
export function readUserConditions(
  query: Query,
): Pick<UserQuery, "filters" | "expiry" | "enabled" | "federated"> {
  const { enabled, idp_id: idpId, protocol_id: protocolId, unique_id: uniqueId } = query;
  return {
    filters: readFilters(query, USER_FILTERS),
    expiry: readExpiryFilters(query),
    enabled: readBoolean(enabled),
    federated: {
      ...(idpId !== undefined && { idpId }),
      ...(protocolId !== undefined && { protocolId }),
      ...(uniqueId !== undefined && { uniqueId }),
    },
  };
}
