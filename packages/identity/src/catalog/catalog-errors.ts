/** Errors of regions, services and endpoints. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
} from "../platform/errors.js";

export class RegionNotFoundError extends notFoundClass("region", "catalog/region-not-found") {}

export class RegionExistsError extends errorClass(
  ConflictError,
  "catalog/region-exists",
  (id: string) => `Conflict occurred attempting to store region - Duplicate ID, ${id}..`,
) {}

/** A region would be within itself. */
export class CircularRegionError extends errorClass(
  InvalidError,
  "catalog/region-circular",
  (id: string) => `The specified parent region ${id} would create a circular region hierarchy.`,
) {}

export class RegionInUseError extends errorClass(
  ForbiddenError,
  "catalog/region-in-use",
  (id: string) => `Unable to delete region ${id} because it or its child regions have associated endpoints.`,
) {}

export class ServiceNotFoundError extends notFoundClass("service", "catalog/service-not-found") {}

export class EndpointNotFoundError extends notFoundClass("endpoint", "catalog/endpoint-not-found") {}

/** An endpoint belongs to a region or a service that does not exist. */
export class EndpointPlaceError extends errorClass(
  InvalidError,
  "catalog/endpoint-place",
  (kind: "region" | "service") =>
    `Expecting to find endpoint ${kind}_id in ${kind} table. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
) {}

/** The URL of an endpoint has an unknown placeholder. */
export class EndpointUrlError extends errorClass(
  InvalidError,
  "catalog/endpoint-url",
  (url: string) => `Cannot create an endpoint with an invalid URL: ${url}.`,
) {}
