/** What can be wrong with service providers. */
import { ConflictError, errorClass, notFoundClass } from "../platform/errors.js";

export class ServiceProviderNotFoundError extends notFoundClass(
  "Service Provider",
  "service-provider/not-found",
) {}

export class ServiceProviderExistsError extends errorClass(
  ConflictError,
  "service-provider/exists",
  (id: string) =>
    `Conflict occurred attempting to store service_provider - Duplicate entry found with ID ${id}.`,
) {}
