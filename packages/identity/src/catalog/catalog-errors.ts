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
