/**
 * Maidenhead locators: text such as `JN48QM` that names a rectangle on the globe.
 *
 * Each pair of characters divides the rectangle named by the pairs before it, longitude first: fields of 20° x 10°
 * (A-R), squares of 2° x 1° (0-9), subsquares of 5' x 2.5' (A-X), extended squares of 30" x 15" (0-9), and a fifth
 * pair of 1.25" x 0.625" (A-X).
 *
 * A position is rounded once, to a column and a row of the finest grid; all other steps use whole numbers, so that
 * corners and centers convert back to their own locator.
 *
 * @see IARU Region 1, *VHF Managers Handbook*, "Locator system"; the fifth pair is common practice, not standardized.
 */
import { LocatorError, ArgumentTypeError } from "../errors.js";
import { type Position, checkPosition } from "./position.js";

/** Length of a locator in characters. */
export type LocatorPrecision = 4 | 6 | 8 | 10;

/** Columns, and rows, of the finest grid: 18 fields x 10 squares x 24 x 10 x 24. */
const FINEST = 1_036_800;
const COLUMNS_PER_DEGREE = FINEST / 360;
const ROWS_PER_DEGREE = FINEST / 180;

/**
 * A billionth of the finest rectangle, 0.04 µm: exceeds the error of binary fractions, so that the corner 7/12 - 180
 * stays in its own column.
 */
const ROUNDING = 1e-9;

const DIGIT = 0x30;
const LETTER = 0x41;
const LOWER_CASE = 0x20;

/** Whether a value is a valid locator length. */
export function isLocatorPrecision(precision: unknown): precision is LocatorPrecision {
  return precision === 4 || precision === 6 || precision === 8 || precision === 10;
}

/** The locator of the rectangle that contains a point. The north pole is in the topmost row; 180° east equals 180° west. */
export function positionToLocator({ latitude, longitude }: Position, precision: LocatorPrecision): string {
  // | 0 truncates and, unlike Math.floor, keeps the engine in integer arithmetic: a third faster.
  const east = ((longitude + 180) * COLUMNS_PER_DEGREE + ROUNDING) | 0;
  const north = ((latitude + 90) * ROWS_PER_DEGREE + ROUNDING) | 0;
  const column = east === FINEST ? 0 : east;
  const row = north === FINEST ? FINEST - 1 : north;

  // One String.fromCharCode per length: concatenating pairs halves the speed.
  const field1 = LETTER + ((column / 57_600) | 0);
  const field2 = LETTER + ((row / 57_600) | 0);
  const square1 = DIGIT + (((column / 5760) | 0) % 10);
  const square2 = DIGIT + (((row / 5760) | 0) % 10);
  if (precision === 4) return String.fromCharCode(field1, field2, square1, square2);

  const sub1 = LETTER + (((column / 240) | 0) % 24);
  const sub2 = LETTER + (((row / 240) | 0) % 24);
  if (precision === 6) return String.fromCharCode(field1, field2, square1, square2, sub1, sub2);

  const ext1 = DIGIT + (((column / 24) | 0) % 10);
  const ext2 = DIGIT + (((row / 24) | 0) % 10);
  if (precision === 8) return String.fromCharCode(field1, field2, square1, square2, sub1, sub2, ext1, ext2);

  const last1 = LETTER + (column % 24);
  const last2 = LETTER + (row % 24);
  return String.fromCharCode(field1, field2, square1, square2, sub1, sub2, ext1, ext2, last1, last2);
}

/**
 * The center of a locator's rectangle, or its south-western corner.
 *
 * @param argument The argument's name, for the error.
 * @throws {LocatorError} The text is not a locator.
 */
export function locatorToPosition(locator: string, argument: string, place: "center" | "corner"): Position {
  const position = pointOf(locator, place);
  if (position === undefined) throw malformed(locator, argument);
  return position;
}

/** `undefined` if the text is not a locator. */
function pointOf(locator: string, place: "center" | "corner"): Position | undefined {
  const column = cellsBefore(locator, 0);
  const row = cellsBefore(locator, 1);
  if (column < 0 || row < 0 || locator.length > 10) return undefined;

  // Counted from the middle of the grid the numerators are exact; the division is the only rounding.
  const perDegree = rowsPerDegree(locator.length);
  const inside = (place === "center" ? 0.5 : 0) - 90 * perDegree;
  return { latitude: (row + inside) / perDegree, longitude: (2 * (column + inside)) / perDegree };
}

/** The number of columns (axis 0) west of a locator's rectangle, or rows (axis 1) south of it; negative if malformed. */
function cellsBefore(locator: string, axis: 0 | 1): number {
  let cells = letter(locator, axis, 18) * 10 + digit(locator, axis + 2);
  if (locator.length > 4) cells = cells * 24 + letter(locator, axis + 4, 24);
  if (locator.length > 6) cells = cells * 10 + digit(locator, axis + 6);
  if (locator.length > 8) cells = cells * 24 + letter(locator, axis + 8, 24);
  return cells;
}

/** Rows per degree for a locator length; columns are twice as wide. */
function rowsPerDegree(length: number): number {
  if (length === 4) return 1;
  if (length === 6) return 24;
  return length === 8 ? 240 : 5760;
}

/** Lower than every sum of valid characters, so that one invalid character makes the sum negative. */
const INVALID = -2 * FINEST;

function letter(text: string, index: number, cells: number): number {
  // Setting one bit maps A-Z to a-z, and no character outside ASCII to a letter.
  const cell = (text.charCodeAt(index) | LOWER_CASE) - LETTER - LOWER_CASE;
  return cell >= 0 && cell < cells ? cell : INVALID;
}

function digit(text: string, index: number): number {
  const cell = text.charCodeAt(index) - DIGIT;
  return cell >= 0 && cell < 10 ? cell : INVALID;
}

/** The error for a malformed locator: names its length or its first invalid character. */
function malformed(locator: string, argument: string): LocatorError {
  let expected = "a locator of 4, 6, 8 or 10 characters";
  if (isLocatorPrecision(locator.length)) {
    let index = 0;
    while (isValidAt(locator, index)) index += 1;
    const cells = cellsAt(index);
    const range = cells === 10 ? "a digit" : `a letter from A to ${String.fromCharCode(LETTER + cells - 1)}`;
    expected = `a locator: character ${index + 1} must be ${range}`;
  }
  return new LocatorError({ argument, value: locator, expected });
}

function isValidAt(locator: string, index: number): boolean {
  const cells = cellsAt(index);
  return (cells === 10 ? digit(locator, index) : letter(locator, index, cells)) !== INVALID;
}

/** The number of cells per axis into which the pair at an index divides its rectangle. */
function cellsAt(index: number): number {
  if (index < 2) return 18;
  return index % 4 < 2 ? 24 : 10;
}

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

/**
 * Validates a place.
 *
 * @throws {LocatorError} @throws {PositionError} The text is neither a locator nor coordinates, or a coordinate is out of its range.
 * @throws {ArgumentTypeError} It is neither text nor a position, or a coordinate is not a number.
 */
export function positionOfPlace(place: Position | string, argument: string): Position {
  if (typeof place === "string") return pointOf(place, "center") ?? requireCoordinates(place, argument);
  if (typeof place === "object" && place !== null) return checkPosition(place);
  throw new ArgumentTypeError({ argument, value: place, expected: "a position or a locator" });
}

function requireCoordinates(text: string, argument: string): Position {
  const position = coordinatesIn(text);
  if (position === undefined) throw malformed(text, argument);
  return position;
}

/** Each digit is matched by one part alone, so that it takes linear time. */
const COORDINATES = /^\s*([+-]?\d+(?:\.\d*)?)\s*,\s*([+-]?\d+(?:\.\d*)?)\s*$/;

/**
 * The position of a text with latitude and longitude in degrees, `48.5,9.3` or `-33.8, 151.2`; `undefined` for other texts.
 *
 * @throws {PositionError} A coordinate is out of its range.
 */
export function coordinatesIn(text: string): Position | undefined {
  const [, latitude, longitude] = COORDINATES.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) return undefined;
  return checkPosition({ latitude: Number(latitude), longitude: Number(longitude) });
}
