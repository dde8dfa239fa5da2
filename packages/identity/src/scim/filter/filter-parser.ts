/**
 * Parses filters (RFC 7644, section 3.4.2.2), and the path of an operation, which may contain one.
 *
 * Texts are limited in length and nesting: the time is linear, and the stack small.
 */
import { ScimFilterError } from "../scim-errors.js";

export type CompareOperator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

export type FilterValue = string | number | boolean | null;

export type Filter =
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | {
      readonly kind: "compare";
      readonly path: string;
      readonly operator: CompareOperator;
      readonly value: FilterValue;
    }
  | { readonly kind: "present"; readonly path: string }
  /** Whether one of several values matches: `emails[type eq "work"]`. */
  | { readonly kind: "match"; readonly path: string; readonly filter: Filter };

/** The path of an operation: `emails[type eq "work"].value`. */
export interface ValuePath {
  readonly path: string;
  readonly filter: Filter | undefined;
  /** The sub-attribute behind the filter. */
  readonly sub: string | undefined;
}

export const MAX_FILTER_LENGTH = 4000;
/** Of parentheses and brackets. */
export const MAX_FILTER_DEPTH = 20;

const OPERATORS: ReadonlySet<string> = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);

/** Strings as in JSON; names may have the URN of a schema before them. */
const TOKEN =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:$-]))|(?<word>[A-Za-z$][\w.:$-]*)|(?<sub>\.[A-Za-z$][\w$-]*)|(?<sign>[()[\]]))/y;

interface Token {
  readonly kind: "text" | "number" | "word" | "sub" | "sign";
  readonly text: string;
}

/** @throws {ScimFilterError} */
export function parseScimFilter(text: string): Filter {
  const parser = createParser(text);
  const filter = parser.readAny(0);
  parser.requireEnd();
  return filter;
}

/** @throws {ScimFilterError} */
export function parseValuePath(text: string): ValuePath {
  const parser = createParser(text);
  const path = parser.readPath();
  const filter = parser.readBracket(0);
  const sub = filter === undefined ? undefined : parser.readSub();
  parser.requireEnd();
  return { path, filter, sub };
}

function createParser(text: string) {
  const tokens = tokensOf(text);
  let next = 0;

  const peek = (): Token | undefined => tokens[next];
  const isWord = (word: string) => peek()?.kind === "word" && peek()?.text.toLowerCase() === word;
  const isSign = (sign: string) => peek()?.kind === "sign" && peek()?.text === sign;

  function requireSign(sign: string): void {
    if (!isSign(sign)) throw unexpected(`"${sign}"`);
    next++;
  }

  function unexpected(expected: string): ScimFilterError {
    const found = peek()?.text;
    return new ScimFilterError(
      `Expected ${expected}, found ${found === undefined ? "the end" : `"${found.slice(0, 60)}"`}.`,
    );
  }

  function readPath(): string {
    const token = peek();
    if (token?.kind !== "word") throw unexpected("the name of an attribute");
    next++;
    return token.text;
  }

  function readSub(): string | undefined {
    const token = peek();
    if (token?.kind !== "sub") return undefined;
    next++;
    return token.text.slice(1);
  }

  function readBracket(depth: number): Filter | undefined {
    if (!isSign("[")) return undefined;
    next++;
    const filter = readAny(depth + 1);
    requireSign("]");
    return filter;
  }

  /** Terms joined by `or`, which binds weaker than `and`. */
  function readAny(depth: number): Filter {
    requireDepth(depth);
    return readJoined("or", () => readJoined("and", () => readTerm(depth)));
  }

  function readJoined(kind: "and" | "or", read: () => Filter): Filter {
    const filters = [read()];
    while (isWord(kind)) {
      next++;
      filters.push(read());
    }
    const [first] = filters;
    return filters.length === 1 && first !== undefined ? first : { kind, filters };
  }

  function readTerm(depth: number): Filter {
    const isNegated = isWord("not") && tokens[next + 1]?.text === "(";
    if (isNegated) next++;
    if (!isSign("(")) return readComparison(depth);
    next++;
    const filter = readAny(depth + 1);
    requireSign(")");
    return isNegated ? { kind: "not", filter } : filter;
  }

  function readComparison(depth: number): Filter {
    const path = readPath();
    const filter = readBracket(depth);
    if (filter === undefined) return readOperator(path);
    const sub = readSub();
    if (sub === undefined) return { kind: "match", path, filter };
    // Not in the RFC's grammar, but what Entra ID sends: emails[type eq "work"].value eq "a@example.org".
    return { kind: "match", path, filter: { kind: "and", filters: [filter, readOperator(sub)] } };
  }

  function readOperator(path: string): Filter {
    const token = peek();
    const operator = token?.kind === "word" ? token.text.toLowerCase() : "";
    if (operator === "pr") {
      next++;
      return { kind: "present", path };
    }
    if (!OPERATORS.has(operator)) throw unexpected("an operator such as eq");
    next++;
    return { kind: "compare", path, operator: operator as CompareOperator, value: readValue() };
  }

  function readValue(): FilterValue {
    const token = peek();
    if (token?.kind === "text" || token?.kind === "number") {
      next++;
      return parseJson(token.text);
    }
    for (const [word, value] of LITERALS)
      if (isWord(word)) {
        next++;
        return value;
      }
    throw unexpected("a value in double quotes");
  }

  return {
    readAny,
    readPath,
    readBracket,
    readSub,
    requireEnd() {
      if (next < tokens.length) throw unexpected("the end");
    },
  };
}

function requireDepth(depth: number): void {
  if (depth > MAX_FILTER_DEPTH)
    throw new ScimFilterError(`The filter is nested deeper than ${MAX_FILTER_DEPTH} levels.`);
}

const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

function tokensOf(text: string): Token[] {
  if (text.length > MAX_FILTER_LENGTH)
    throw new ScimFilterError(`The filter has more than ${MAX_FILTER_LENGTH} characters.`);
  const end = text.trimEnd().length;
  const token = new RegExp(TOKEN);
  const tokens: Token[] = [];
  while (token.lastIndex < end) {
    const at = token.lastIndex;
    const groups = token.exec(text)?.groups;
    const [kind, found] = Object.entries(groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (kind === undefined || found === undefined)
      throw new ScimFilterError(`The filter can't be read at character ${at + 1}.`);
    tokens.push({ kind: kind as Token["kind"], text: found });
  }
  return tokens;
}

function parseJson(text: string): string | number {
  try {
    return JSON.parse(text) as string | number;
  } catch (cause) {
    throw new ScimFilterError("A value of the filter is not valid JSON.", { cause });
  }
}
