/** Parses escapes: characters, classes, anchors and backreferences. */
import { once } from "../../platform/concurrency/once.js";
import {
  ASCII_DIGITS,
  ASCII_SPACES,
  ASCII_WORD,
  complement,
  digits,
  LAST_CODE_POINT,
  SPACES,
  wordCharacters,
  type CodePointSet,
} from "./code-point-set.js";
import { checkReference, next, peek, takeWhile, type RegexReader } from "./regex-reader.js";
import { RegexSyntaxError, type RegexFlags, type RegexNode, type RegexAnchor } from "./regex-syntax.js";

/** A character or a class; a class can't be an end of a range. */
export type SetItem = { readonly character: number } | { readonly set: CodePointSet };

const CONTROL = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
]);
const HEX_LENGTHS = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);
const HEX = /^[0-9a-fA-F]$/;
const OCTAL = /^[0-7]$/;
const DIGIT = /^[0-9]$/;

/** Classes by letter, computed on first use. */
const CLASSES = new Map([
  ["d", digits],
  ["s", () => SPACES],
  ["w", wordCharacters],
  ["D", once(() => complement(digits()))],
  ["S", once(() => complement(SPACES))],
  ["W", once(() => complement(wordCharacters()))],
]);
const ASCII_CLASSES = new Map([
  ["d", ASCII_DIGITS],
  ["s", ASCII_SPACES],
  ["w", ASCII_WORD],
  ["D", complement(ASCII_DIGITS)],
  ["S", complement(ASCII_SPACES)],
  ["W", complement(ASCII_WORD)],
]);

const classOf = (letter: string, isAscii: boolean): CodePointSet | undefined =>
  isAscii ? ASCII_CLASSES.get(letter) : CLASSES.get(letter)?.();

function anchorOf(letter: string, { isAscii }: RegexFlags): RegexAnchor | undefined {
  if (letter === "A") return "start";
  if (letter === "Z") return "very-end";
  if (letter === "b") return isAscii ? "ascii-boundary" : "boundary";
  if (letter === "B") return isAscii ? "ascii-no-boundary" : "no-boundary";
  return undefined;
}

/** Reads an escape outside a set, behind the backslash. */
export function readEscape(reader: RegexReader, flags: RegexFlags): SetItem | { readonly node: RegexNode } {
  const start = reader.position - 1;
  const letter = next(reader, "bad escape (end of pattern)");
  const where = anchorOf(letter, flags);
  if (where !== undefined) return { node: { kind: "anchor", where } };
  if (letter !== "0" && DIGIT.test(letter)) return readNumber(reader, letter, { flags, start });
  return readCommon(reader, letter, { flags, start });
}

/** Reads an escape inside a set: \b is a backspace, and a number is always octal. */
export function readSetEscape(reader: RegexReader, flags: RegexFlags): SetItem {
  const start = reader.position - 1;
  const letter = next(reader, "unterminated character set");
  if (letter === "b") return { character: 8 };
  if (OCTAL.test(letter)) return octal(letter + takeWhile(reader, OCTAL, 2), start);
  return readCommon(reader, letter, { flags, start });
}

function readCommon(
  reader: RegexReader,
  letter: string,
  { flags, start }: { flags: RegexFlags; start: number },
): SetItem {
  const control = CONTROL.get(letter);
  if (control !== undefined) return { character: control };
  const set = classOf(letter, flags.isAscii);
  if (set !== undefined) return { set };
  const length = HEX_LENGTHS.get(letter);
  if (length !== undefined) return readHex(reader, letter, { length, start });
  if (letter === "0") return octal(letter + takeWhile(reader, OCTAL, 2), start);
  if (letter === "N") throw new RegexSyntaxError("characters by name (\\N) are not supported", start);
  if (/^[0-9a-zA-Z]$/.test(letter)) throw new RegexSyntaxError(`bad escape \\${letter}`, start);
  return { character: letter.codePointAt(0) ?? 0 };
}

function readHex(
  reader: RegexReader,
  letter: string,
  { length, start }: { length: number; start: number },
): SetItem {
  const hex = takeWhile(reader, HEX, length);
  if (hex.length < length) throw new RegexSyntaxError(`incomplete escape \\${letter}${hex}`, start);
  const character = Number.parseInt(hex, 16);
  if (character > LAST_CODE_POINT) throw new RegexSyntaxError(`bad escape \\${letter}${hex}`, start);
  return { character };
}

/** \12 refers to a group; \012 and \123 are octal. */
function readNumber(
  reader: RegexReader,
  first: string,
  { flags, start }: { flags: RegexFlags; start: number },
): SetItem | { readonly node: RegexNode } {
  let number = first + takeWhile(reader, DIGIT, 1);
  if (/^[0-7]{2}$/.test(number) && OCTAL.test(peek(reader) ?? "")) {
    number += next(reader, "");
    return octal(number, start);
  }
  const group = Number(number);
  if (group >= reader.widths.length)
    throw new RegexSyntaxError(`invalid group reference ${group}`, start + 1);
  return { node: readReference(reader, group, { flags, start }) };
}

export function readReference(
  reader: RegexReader,
  group: number,
  { flags, start }: { flags: RegexFlags; start: number },
): RegexNode {
  checkReference(reader, group, start);
  const { ignoresCase, isAscii } = flags;
  return { kind: "reference", group, ignoresCase: ignoresCase ? (isAscii ? "ascii" : "unicode") : "no" };
}

function octal(text: string, start: number): SetItem {
  const character = Number.parseInt(text, 8);
  if (character > 0o377)
    throw new RegexSyntaxError(`octal escape value \\${text} outside of range 0-0o377`, start);
  return { character };
}
