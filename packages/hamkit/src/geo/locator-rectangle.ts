/** The sides of a locator's rectangle. */
import { locatorToPosition } from "./locator.js";

/** A rectangle in degrees; its east is at most 180. */
export interface Rectangle {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * The rectangle of a locator.
 *
 * @throws {LocatorError} The text is not a locator.
 */
export function locatorToRectangle(locator: string, argument: string): Rectangle {
  const corner = locatorToPosition(locator, argument, "corner");
  const center = locatorToPosition(locator, argument, "center");
  return {
    west: corner.longitude,
    south: corner.latitude,
    east: 2 * center.longitude - corner.longitude,
    north: 2 * center.latitude - corner.latitude,
  };
}
