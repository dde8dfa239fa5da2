/** A place on the globe, and the check that coordinates are one. */
import { ArgumentTypeError, PositionError } from "../errors.js";

/** A place: degrees on the WGS84 ellipsoid, north and east positive. */
export interface Position {
  /** From -90, the south pole, to 90. */
  readonly latitude: number;
  /** From -180 to 180; both ends are the same meridian. */
  readonly longitude: number;
}

/**
 * The position, once it is known to be one.
 *
 * @throws {ArgumentTypeError} A coordinate is not a number.
 * @throws {PositionError} A coordinate is not finite, or out of its range.
 */
export function checkPosition(position: Position): Position {
  checkCoordinate("latitude", position.latitude, 90);
  checkCoordinate("longitude", position.longitude, 180);
  return position;
}

function checkCoordinate(argument: string, value: number, limit: number): void {
  // One comparison refuses NaN, infinities and everything out of range.
  if (typeof value === "number" && Math.abs(value) <= limit) return;
  const facts = { argument, value, expected: `a number of degrees from -${limit} to ${limit}` };
  throw typeof value === "number" ? new PositionError(facts) : new ArgumentTypeError(facts);
}
