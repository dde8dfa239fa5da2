/** What can be wrong with service providers. */
import { ConflictError, NotFoundError } from "../platform/errors.js";

export class ServiceProviderNotFoundError extends NotFoundError {
  override readonly name = "ServiceProviderNotFoundError";
  override readonly code = "service-provider/not-found";

  constructor(id: string) {
    super(`Could not find Service Provider: ${id}.`);
  }
}

export class ServiceProviderExistsError extends ConflictError {
  override readonly name = "ServiceProviderExistsError";
  override readonly code = "service-provider/exists";

  constructor(id: string) {
    super(`Conflict occurred attempting to store service_provider - Duplicate entry found with ID ${id}.`);
  }
}
