/** Errors of groups. */
import { ConflictError, errorClass, NotFoundError } from "../platform/errors.js";

export class GroupNotFoundError extends errorClass(
  NotFoundError,
  "groups/not-found",
  (id: string) => `Could not find group: ${id}.`,
) {}

export class GroupExistsError extends errorClass(
  ConflictError,
  "groups/exists" /** @param place Where; left out for a change. */,

  (group: string, place?: { readonly domainId: string }) => {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    return `Conflict occurred attempting to store group - Duplicate entry found with name ${group}${at}.`;
  },
) {}
