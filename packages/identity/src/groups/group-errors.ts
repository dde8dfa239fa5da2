/** What can be wrong with groups. */
import { ConflictError, NotFoundError } from "../platform/errors.js";

export class GroupNotFoundError extends NotFoundError {
  override readonly name = "GroupNotFoundError";
  override readonly code = "groups/not-found";

  constructor(id: string) {
    super(`Could not find group: ${id}.`);
  }
}

export class GroupExistsError extends ConflictError {
  override readonly name = "GroupExistsError";
  override readonly code = "groups/exists";

  /** @param place Where; left out for a change. */
  constructor(group: string, place?: { readonly domainId: string }) {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    super(`Conflict occurred attempting to store group - Duplicate entry found with name ${group}${at}.`);
  }
}
