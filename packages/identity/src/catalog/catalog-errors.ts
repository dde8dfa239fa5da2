/** What can be wrong with regions, services and endpoints. */
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from "../platform/errors.js";

export class RegionNotFoundError extends NotFoundError {
  override readonly name = "RegionNotFoundError";
  override readonly code = "catalog/region-not-found";

  constructor(id: string) {
    super(`Could not find region: ${id}.`);
  }
}

export class RegionExistsError extends ConflictError {
  override readonly name = "RegionExistsError";
  override readonly code = "catalog/region-exists";

  constructor(id: string) {
    super(`Conflict occurred attempting to store region - Duplicate ID, ${id}..`);
  }
}

/** A region would lie within itself. */
export class CircularRegionError extends InvalidError {
  override readonly name = "CircularRegionError";
  override readonly code = "catalog/region-circular";

  constructor(id: string) {
    super(`The specified parent region ${id} would create a circular region hierarchy.`);
  }
}

export class RegionInUseError extends ForbiddenError {
  override readonly name = "RegionInUseError";
  override readonly code = "catalog/region-in-use";

  constructor(id: string) {
    super(`Unable to delete region ${id} because it or its child regions have associated endpoints.`);
  }
}

export class ServiceNotFoundError extends NotFoundError {
  override readonly name = "ServiceNotFoundError";
  override readonly code = "catalog/service-not-found";

  constructor(id: string) {
    super(`Could not find service: ${id}.`);
  }
}

export class EndpointNotFoundError extends NotFoundError {
  override readonly name = "EndpointNotFoundError";
  override readonly code = "catalog/endpoint-not-found";

  constructor(id: string) {
    super(`Could not find endpoint: ${id}.`);
  }
}

/** An endpoint is of a region or a service that there is not. */
export class EndpointPlaceError extends InvalidError {
  override readonly name = "EndpointPlaceError";
  override readonly code = "catalog/endpoint-place";

  constructor(kind: "region" | "service") {
    super(
      `Expecting to find endpoint ${kind}_id in ${kind} table. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
    );
  }
}

/** The address of an endpoint has a placeholder that nothing can be filled into. */
export class EndpointUrlError extends InvalidError {
  override readonly name = "EndpointUrlError";
  override readonly code = "catalog/endpoint-url";

  constructor(url: string) {
    super(`Cannot create an endpoint with an invalid URL: ${url}.`);
  }
}
