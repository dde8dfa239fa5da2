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

  constructor(name: string, domainId: string) {
    super(
      `Conflict occurred attempting to store group - Duplicate entry found with name ${name} at domain ID ${domainId}.`,
    );
  }
}
