/** Errors of groups. */
import { ConflictError, errorClass, notFoundClass } from "../platform/errors.js";

export class GroupNotFoundError extends notFoundClass("group", "groups/not-found") {}

export class GroupExistsError extends errorClass(
  ConflictError,
  "groups/exists" /** @param place Where; left out for a change. */,

  (group: string, place?: { readonly domainId: string }) => {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    return `Conflict occurred attempting to store group - Duplicate entry found with name ${group}${at}.`;
  },
) {}
