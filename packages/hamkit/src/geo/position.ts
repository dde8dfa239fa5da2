/** Geographic positions and the validation of coordinates. */
import { ArgumentTypeError, PositionError } from "../errors.js";

/** A geographic position: degrees on the WGS84 ellipsoid, north and east positive. */
export interface Position {
  /** From -90, the south pole, to 90. */
  readonly latitude: number;
  /** From -180 to 180; both ends are the same meridian. */
  readonly longitude: number;
}

/**
 * Validates a position and returns it.
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
  // One comparison rejects NaN, infinities and values out of range.
  if (typeof value === "number" && Math.abs(value) <= limit) return;
  const facts = { argument, value, expected: `a number of degrees from -${limit} to ${limit}` };
  throw typeof value === "number" ? new PositionError(facts) : new ArgumentTypeError(facts);
}
