/**
 * JSON whose numbers keep their text where a double doesn't hold it: 100002348117421473 would become 100002348117421470, which is the
 * number of another user.
 *
 * Own code, of some 50 lines: Node 20 has no `context.source` in revivers, and libraries reject duplicate members, of which jose takes the
 * last one (RFC 7519, 4): what is read here is what was validated.
 */

/** A number of JSON that a double does not hold, or holds for other numbers too: one of 2^53 or more. */
export class ExactNumber {
  /** The number, as every reader has to compare it. */
  readonly text: string;
  /** What a double makes of it. */
  readonly rounded: number;

  constructor(literal: string) {
    this.rounded = Number(literal);
    const printed = String(this.rounded);
    this.text = isInteger(literal) || !isSameDecimal(literal, printed) ? literal : printed;
  }

  toJSON(): string {
    return this.text;
  }
}

/** A number after a delimiter, with 16 digits or an exponent: others are exact. */
const MAY_BE_INEXACT = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Whether JSON may contain a number that `JSON.parse` rounds. */
export function mayBeInexact(json: string): boolean {
  return MAY_BE_INEXACT.test(json);
}

/**
 * Like `JSON.parse`, with {@link ExactNumber} where a number would be rounded. The last of duplicate members counts, as there.
 *
 * @throws {SyntaxError} Invalid, or nested too deep.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayBeInexact(text)) return value;
  if (isNestedTooDeep(text)) throw new SyntaxError(`JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return readAgain(text);
}

const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^[\]{},:"\s]+)/y;

/** Of valid JSON. */
function readAgain(text: string): unknown {
  const token = new RegExp(TOKEN);
  const next = (): string => token.exec(text)?.[1] ?? "";

  function read(first: string): unknown {
    if (first === "{") return readObject();
    if (first === "[") return readList();
    return /^[-\d]/.test(first) ? readNumber(first) : JSON.parse(first);
  }

  function readObject(): object {
    const members: [string, unknown][] = [];
    for (let name = next(); name !== "}"; name = next()) {
      if (name === ",") continue;
      next();
      members.push([JSON.parse(name) as string, read(next())]);
    }
    // Own members, whatever they are called.
    return Object.fromEntries(members);
  }

  function readList(): unknown[] {
    const items: unknown[] = [];
    for (let first = next(); first !== "]"; first = next()) if (first !== ",") items.push(read(first));
    return items;
  }

  return read(next());
}

function readNumber(literal: string): number | ExactNumber {
  const value = Number(literal);
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER && isSameDecimal(literal, String(value));
  return isExact ? value : new ExactNumber(literal);
}

const isInteger = (literal: string): boolean => /^-?\d+$/.test(literal);

/** Whether two decimals are the same number: `1.50` and `1.5`, `1e3` and `1000`. */
function isSameDecimal(one: string, other: string): boolean {
  return one === other || canonical(one) === canonical(other);
}

/** Digits without zeros at both ends, and the exponent of the first one. Zero has no sign. */
function canonical(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return whole === "" ? literal : "0";
  // Exponents have any length.
  const place = BigInt(exponent) + BigInt(whole.length - first);
  return `${sign}${digits.slice(first).replace(/0+$/, "")} ${place}`;
}

/** Levels of objects and lists: recursion over 20,000, which are 20 KB of brackets, overflows the stack. */
export const MAX_JSON_DEPTH = 100;

/** Whether JSON text nests deeper. Brackets within strings don't count: closing ones there could hide opening ones. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') isInString = !isInString;
    else if (isInString) {
      if (character === "\\") index++;
    } else if (character === "{" || character === "[") {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}
