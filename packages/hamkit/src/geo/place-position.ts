/** The position of a place: coordinates, or the center of a locator. */
import { ArgumentTypeError } from "../errors.js";
import { locatorToPosition } from "./locator.js";
import { checkPosition, type Position } from "./position.js";

/**
 * Validates a place.
 *
 * @throws {LocatorError} @throws {PositionError} The text is not a locator, or a coordinate is out of its range.
 * @throws {ArgumentTypeError} It is neither text nor a position, or a coordinate is not a number.
 */
export function positionOfPlace(place: Position | string, argument: string): Position {
  if (typeof place === "string") return locatorToPosition(place, argument, "center");
  if (typeof place === "object" && place !== null) return checkPosition(place);
  throw new ArgumentTypeError({ argument, value: place, expected: "a position or a locator" });
}
