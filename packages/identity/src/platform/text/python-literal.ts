/**
 * Parses lists in Python's notation. Where a rule fills a list into a text, Keystone parses the text with
 * `ast.literal_eval`; so it does an attribute whose value is such a list.
 *
 * @see https://docs.python.org/3.11/library/ast.html#ast.literal_eval
 */

/** Members of a list. Tuples become lists; bytes, sets and complex numbers are not supported, as JSON has none. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | readonly Literal[]
  | { readonly [key: string]: Literal };

/** @returns `undefined` if the text is not a list. */
export function parseList(text: string): readonly Literal[] | undefined {
  if (!text.includes("[") || text.includes("\0")) return undefined;
  try {
    const scanner = createScanner(text.replace(/^[ \t]+/, ""));
    scanner.match(BEFORE);
    if (scanner.match(/(?=[[(])/y) === undefined) return undefined;
    const value = readBracketed(scanner);
    if (value?.kind !== "list" || scanner.match(BEHIND) === undefined) return undefined;
    return toLiteral(value) as Literal[];
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

const LINE_END = String.raw`(?:\r\n?|\n)`;
const COMMENT = String.raw`(?:#[^\n\r]*)?`;

/** What may precede and follow a list: outside brackets, Python checks the indentation of lines. A form feed is not one. */
const EMPTY_LINES = String.raw`(?:[ \t]*(?:\f|${COMMENT}${LINE_END}))*`;
const BEFORE = new RegExp(String.raw`(?:${EMPTY_LINES}\\${LINE_END})*${EMPTY_LINES}`, "y");
const BEHIND = new RegExp(
  String.raw`(?:[ \t\f]|\\${LINE_END}(?!$))*${COMMENT}(?:$|${LINE_END}${EMPTY_LINES}(?:[ \t]*#[^\n\r]*)?$)`,
  "y",
);

/** Unwinds the parser where the text is not a literal. */
class NoLiteral extends Error {}

type Value =
  | { readonly kind: "plain"; readonly value: string | number | boolean | null }
  | { readonly kind: "list" | "tuple"; readonly items: readonly Value[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Value, Value])[] };

/** Nesting of lists; Python's parser has a limit too. */
const MAX_DEPTH = 90;

interface Scanner {
  depth: number;
  /** Skips white space, newlines and comments. */
  skip(): void;
  take(text: string): boolean;
  match(pattern: RegExp): RegExpExecArray | undefined;
}

function createScanner(text: string): Scanner {
  let position = 0;
  const scanner: Scanner = {
    depth: 0,
    skip: () => void scanner.match(/(?:[ \t\f\n\r]|\\\r?\n|#[^\n\r]*)*/y),
    take(wanted) {
      if (!text.startsWith(wanted, position)) return false;
      position += wanted.length;
      return true;
    },
    match(pattern) {
      pattern.lastIndex = position;
      const found = pattern.exec(text) ?? undefined;
      if (found !== undefined) position += found[0].length;
      return found;
    },
  };
  return scanner;
}

function readExpression(scanner: Scanner): Value {
  scanner.skip();
  if (++scanner.depth > MAX_DEPTH) throw new NoLiteral();
  const value = readBracketed(scanner) ?? readText(scanner) ?? readName(scanner) ?? readNumber(scanner);
  scanner.depth--;
  scanner.skip();
  return value;
}

function readBracketed(scanner: Scanner): Value | undefined {
  if (scanner.take("[")) return { kind: "list", items: readItems(scanner, "]").items };
  if (scanner.take("{")) return readDict(scanner);
  if (!scanner.take("(")) return undefined;
  const { items, hasComma } = readItems(scanner, ")");
  const [only] = items;
  return items.length === 1 && only !== undefined && !hasComma ? only : { kind: "tuple", items };
}

function readItems(scanner: Scanner, end: string): { items: readonly Value[]; hasComma: boolean } {
  const items: Value[] = [];
  let hasComma = false;
  for (;;) {
    scanner.skip();
    if (scanner.take(end)) return { items, hasComma };
    if (items.length > 0 && !hasComma) throw new NoLiteral();
    items.push(readExpression(scanner));
    hasComma = scanner.take(",");
  }
}

function readDict(scanner: Scanner): Value {
  const entries: (readonly [Value, Value])[] = [];
  let hasComma = true;
  for (;;) {
    scanner.skip();
    if (scanner.take("}")) return { kind: "dict", entries };
    if (!hasComma) throw new NoLiteral();
    const key = readExpression(scanner);
    if (!scanner.take(":")) throw new NoLiteral();
    entries.push([key, readExpression(scanner)]);
    hasComma = scanner.take(",");
  }
}

const NAMES = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);

function readName(scanner: Scanner): Value | undefined {
  const [name] = scanner.match(/[\p{L}_][\p{L}\p{N}_]*/uy) ?? [];
  if (name === undefined) return undefined;
  const value = NAMES.get(name);
  if (value === undefined) throw new NoLiteral();
  return { kind: "plain", value };
}

function readNumber(scanner: Scanner): Value {
  const [, sign = "", digits = ""] =
    scanner.match(
      /([+-]?)[ \t]*(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.?(?:\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?)/y,
    ) ?? [];
  const isZeroLed = /^0[\d_]*[1-9][\d_]*$/.test(digits);
  if (!/[0-9]/.test(digits) || /^[eE.]+[^0-9]/.test(digits) || isZeroLed) throw new NoLiteral();
  const value = Number(digits.replaceAll("_", ""));
  if (Number.isNaN(value) || scanner.match(/[\p{L}\p{N}_.]/uy) !== undefined) throw new NoLiteral();
  return { kind: "plain", value: sign === "-" ? -value : value };
}

/** A string; adjacent ones are concatenated. */
function readText(scanner: Scanner): Value | undefined {
  let text: string | undefined;
  for (;;) {
    const piece = readPiece(scanner);
    if (piece === undefined) return text === undefined ? undefined : { kind: "plain", value: text };
    text = (text ?? "") + piece;
    scanner.skip();
  }
}

const TEXT = new RegExp(
  [
    "([rRuU]?)(?:",
    `'{3}([^\\\\]*?(?:\\\\.[^\\\\]*?)*?)'{3}|"{3}([^\\\\]*?(?:\\\\.[^\\\\]*?)*?)"{3}|`,
    `'(?!'')([^\\\\'\\n\\r]*(?:\\\\(?:\\r\\n|.)[^\\\\'\\n\\r]*)*)'|`,
    `"(?!"")([^\\\\"\\n\\r]*(?:\\\\(?:\\r\\n|.)[^\\\\"\\n\\r]*)*)")`,
  ].join(""),
  "suy",
);

function readPiece(scanner: Scanner): string | undefined {
  const found = scanner.match(TEXT);
  if (found === undefined) return undefined;
  const [, prefix = "", ...bodies] = found;
  const body = bodies.find((candidate) => candidate !== undefined) ?? "";
  return prefix.toLowerCase() === "r" ? body : unescaped(body);
}

const ESCAPES = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["\n", ""],
  ["\r", ""],
  ["\r\n", ""],
]);

function unescaped(body: string): string {
  return body.replaceAll(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|.))/gsu,
    (whole, octal?: string, x?: string, u?: string, long?: string, letter = "") => {
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      const hex = x ?? u ?? long;
      if (hex !== undefined) return fromHex(hex);
      if ("xuUN".includes(letter) && letter !== "") throw new NoLiteral();
      return ESCAPES.get(letter) ?? whole;
    },
  );
}

function fromHex(hex: string): string {
  const codePoint = Number.parseInt(hex, 16);
  if (codePoint > 0x10ffff) throw new NoLiteral();
  return String.fromCodePoint(codePoint);
}

function toLiteral(value: Value): Literal {
  if (value.kind === "plain") return value.value;
  if (value.kind === "dict")
    return Object.fromEntries(value.entries.map(([key, held]) => [keyOf(key), toLiteral(held)]));
  return value.items.map(toLiteral);
}

/** The key of a dictionary as a JSON object has it. */
function keyOf(key: Value): string {
  if (key.kind !== "plain") throw new NoLiteral();
  return typeof key.value === "string" ? key.value : JSON.stringify(key.value);
}
