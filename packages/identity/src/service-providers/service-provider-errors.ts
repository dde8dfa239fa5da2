/** What can be wrong with service providers. */
import { ConflictError, errorClass, NotFoundError } from "../platform/errors.js";

export class ServiceProviderNotFoundError extends errorClass(
  NotFoundError,
  "service-provider/not-found",
  (id: string) => `Could not find Service Provider: ${id}.`,
) {}

export class ServiceProviderExistsError extends errorClass(
  ConflictError,
  "service-provider/exists",
  (id: string) =>
    `Conflict occurred attempting to store service_provider - Duplicate entry found with ID ${id}.`,
) {}
