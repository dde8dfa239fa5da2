/** Parses coordinates: decimal degrees, or degrees, minutes and seconds. */
import { ValueError } from "../../errors.js";
import type { Position } from "../../geo/position.js";
import { UsageError } from "../exit-code.js";

const DEGREES = String.raw`[-+]?(?:\d+(?:\.\d*)?|\.\d+)\s*°?`;
const MINUTES = String.raw`\d+(?:\.\d*)?\s*['′’]`;
const SECONDS = String.raw`\d+(?:\.\d*)?\s*(?:"|″|”|''|′′)`;
const UNLETTERED = String.raw`${DEGREES}(?:\s*${MINUTES}(?:\s*${SECONDS})?)?`;
/** "-33.9", "33.9S", "48°31'12\"N", "N 48° 31.2'" */
const ANGLE = String.raw`(?:[NSEW]\s*${UNLETTERED}|${UNLETTERED}\s*[NSEW]?)`;

/** Two angles, separated unless a hemisphere or a minute mark ends the first one. */
const PAIR = new RegExp(String.raw`^(${ANGLE})(?:\s*[,;]\s*|\s+|(?<=[NSEW'′’"″”°]))(${ANGLE})$`, "i");

const SINGLE = new RegExp(`^${ANGLE}$`, "i");

/** Longer texts are no coordinates; the expressions need quadratic time for some. */
const MAX_LENGTH = 80;

const PARTS = new RegExp(
  String.raw`^([NSEW]?)\s*([-+]?)(\d*\.?\d*)\s*°?(?:\s*(\d+(?:\.\d*)?)\s*['′’](?:\s*(\d+(?:\.\d*)?)\s*(?:"|″|”|''|′′))?)?\s*([NSEW]?)$`,
  "i",
);

/** Splits the text of a latitude and a longitude; `undefined` if it is anything else. */
export function splitCoordinates(text: string): [latitude: string, longitude: string] | undefined {
  const [, first, second] = PAIR.exec(normalized(text)) ?? [];
  return first === undefined || second === undefined ? undefined : [first, second];
}

/** With single blanks; empty for a text that is too long. */
function normalized(text: string): string {
  return text.length > MAX_LENGTH ? "" : text.trim().replaceAll(/\s+/g, " ");
}

/**
 * The position of two angles, each with a sign or a hemisphere letter.
 *
 * @throws {ValueError} One of them is not an angle, or has the letter of the other axis. Ranges are not checked.
 */
export function parsePosition(latitude: string, longitude: string): Position {
  return {
    latitude: parseDegrees("latitude", latitude, "NS"),
    longitude: parseDegrees("longitude", longitude, "EW"),
  };
}

/** Degrees with a sign or one of two hemisphere letters, the first of which is positive. */
function parseDegrees(argument: string, text: string, letters: "NS" | "EW"): number {
  const plain = normalized(text);
  const match = SINGLE.test(plain) ? PARTS.exec(plain) : null;
  const [, before = "", sign = "", degrees = "", minutes, seconds, after = ""] = match ?? [];
  const letter = before + after;
  const side = letters.indexOf(letter.toUpperCase());
  const isClear = side >= 0 && letter.length < 2 && (letter === "" || sign === "");
  // Only the last part has a fraction, and the others are less than 60.
  const isSexagesimal =
    (minutes === undefined || (!degrees.includes(".") && Number(minutes) < 60)) &&
    (seconds === undefined || (minutes?.includes(".") === false && Number(seconds) < 60));
  if (match === null || !isClear || !isSexagesimal) {
    const [positive, negative] = letters;
    const expected = `degrees such as -33.9, 33.9${negative} or 33.9${positive}`;
    throw new ValueError({ argument, value: text, expected });
  }
  const value = Number(degrees) + Number(minutes ?? 0) / 60 + Number(seconds ?? 0) / 3600;
  return sign === "-" || (letter !== "" && side === 1) ? -value : value;
}

/**
 * The two angles of the arguments; `undefined` for a single one that is not a pair.
 *
 * @throws {UsageError} There are more than two, and they are no coordinates.
 */
export function coordinatesOf(words: readonly string[]): readonly [string, string] | undefined {
  const pair = splitCoordinates(words.join(" "));
  if (pair !== undefined || words.length === 1) return pair;
  const [first, second, third] = words;
  // Not coordinates, but the error then names the one that is wrong.
  if (first !== undefined && second !== undefined && third === undefined) return [first, second];
  throw new UsageError(`expected a locator, or a latitude and a longitude; got ${words.length} arguments`);
}

const PASTED_DEGREES = /^[-+]?[\d.]+°?[nsew]?$/i;

/** The commands whose arguments are coordinates. */
const COMMANDS: ReadonlySet<string | undefined> = new Set(["locator", "zones"]);

/**
 * Splits coordinates that were pasted with a comma: "-33.9, 18.4" and "-33.9,18.4" would otherwise be parsed as options.
 */
export function withoutCommas(argv: readonly string[]): readonly string[] {
  if (!COMMANDS.has(argv.find((word) => !word.startsWith("-")))) return argv;
  return argv.flatMap((word) => {
    const parts = word.split(",").filter((part) => part !== "");
    return word.includes(",") && parts.every((part) => PASTED_DEGREES.test(part)) ? parts : [word];
  });
}
