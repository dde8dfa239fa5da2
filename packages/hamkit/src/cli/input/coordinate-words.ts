/** The arguments of commands that take a locator or coordinates. */
import { UsageError } from "../exit-code.js";
import { splitCoordinates } from "./coordinates.js";

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

const DEGREES = /^[-+]?[\d.]+°?[nsew]?$/i;

/** The commands whose arguments are coordinates. */
const COMMANDS: ReadonlySet<string | undefined> = new Set(["locator", "zones"]);

/**
 * Splits coordinates that were pasted with a comma: "-33.9, 18.4" and "-33.9,18.4" would otherwise be parsed as options.
 */
export function withoutCommas(argv: readonly string[]): readonly string[] {
  if (!COMMANDS.has(argv.find((word) => !word.startsWith("-")))) return argv;
  return argv.flatMap((word) => {
    const parts = word.split(",").filter((part) => part !== "");
    return word.includes(",") && parts.every((part) => DEGREES.test(part)) ? parts : [word];
  });
}
