/** The output of `hamkit locator`: one line or a card, or JSON. */
import { ValueError } from "../../errors.js";
import { latlongToLocator, locatorToLatlong, type LocatorPrecision, type Position } from "../../locator.js";
import { UsageError } from "../exit-code.js";
import { positionText } from "./geo-text.js";
import type { Report, Session } from "../session.js";
import { layOutCard } from "../terminal/table.js";

export interface LocatorOptions {
  readonly json?: boolean;
  readonly precision?: "4" | "6" | "8" | "10";
}

const DEGREES = /^([-+]?)(\d+(?:\.\d*)?|\.\d+)°?([nsew]?)$/i;

/**
 * The locator of a latitude and a longitude, or the coordinates of a locator.
 *
 * @throws {LocatorError} A single argument is not a locator.
 * @throws {ValueError} @throws {PositionError} Two arguments are not coordinates.
 * @throws {UsageError} The number of arguments is not one or two.
 */
export function reportLocator(
  words: readonly string[],
  { precision }: LocatorOptions,
  session: Session,
): Report {
  const [first, second] = words;
  if (first === undefined || words.length > 2) {
    throw new UsageError(`expected a locator, or a latitude and a longitude; got ${words.length} arguments`);
  }
  if (second !== undefined) {
    const latitude = parseDegrees("latitude", first, "NS");
    const longitude = parseDegrees("longitude", second, "EW");
    const locator = latlongToLocator(latitude, longitude, PRECISIONS[precision ?? "6"]);
    return { document: placesOf(locator), lines: () => [locator] };
  }
  if (precision !== undefined)
    throw new UsageError(`--precision: expected a latitude and a longitude, got ${JSON.stringify(first)}`);
  const document = placesOf(first.trim().toUpperCase());
  const { locator, center, corner } = document;
  return {
    document,
    lines: () =>
      layOutCard(
        locator,
        [
          ["Center", positionText(center, DIGITS)],
          ["South-western corner", positionText(corner, DIGITS)],
        ],
        session.ink,
      ),
  };
}

const PRECISIONS: Readonly<Record<"4" | "6" | "8" | "10", LocatorPrecision>> = { 4: 4, 6: 6, 8: 8, 10: 10 };

/** Decimal places of a degree: 0.1 m; the rectangles of the finest locators have 19 m. */
const DIGITS = 6;

function placesOf(locator: string): { locator: string; center: Position; corner: Position } {
  return {
    locator,
    center: positionOf(locatorToLatlong(locator)),
    corner: positionOf(locatorToLatlong(locator, false)),
  };
}

function positionOf([latitude, longitude]: readonly [number, number]): Position {
  return { latitude, longitude };
}

/** Degrees with a sign or one of two hemisphere letters, the first of which is positive. */
function parseDegrees(argument: string, text: string, letters: "NS" | "EW"): number {
  const [, sign, digits, letter = ""] = DEGREES.exec(text.trim()) ?? [];
  const side = letters.indexOf(letter.toUpperCase());
  const isClear = side >= 0 && (letter === "" || sign === "");
  if (digits === undefined || !isClear) {
    const [north, south] = letters;
    const expected = `degrees such as -33.9, 33.9${south} or 33.9${north}`;
    throw new ValueError({ argument, value: text, expected });
  }
  return sign === "-" || (letter !== "" && side === 1) ? -Number(digits) : Number(digits);
}
