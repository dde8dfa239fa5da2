/**
 * Python's `%` formatting with a dictionary: `%(target.user.id)s`.
 *
 * @see https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting
 */
import { pythonRepr, wholePythonText } from "../../platform/http/validation/python-text.js";
import { shortened } from "../../platform/text/quoted-value.js";
import { RuleFault } from "./rule-fault.js";

export type RuleAttributes = Readonly<Record<string, unknown>>;

/** @returns `undefined` if the values have no such key. @throws {RuleFault} A value does not fit its conversion, as in Python. */
export type Formatter = (values: RuleAttributes) => string | undefined;

/** Characters to which a conversion may pad. */
const MAX_WIDTH = 1024;

const SPECIFIER = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([#0\- +]*)(\d*)(?:\.(\d*))?[hlL]?(.?)/suy;

type Part = (values: RuleAttributes) => string | undefined;

/** A template, compiled, and the keys that it names. */
export interface CompiledFormat {
  readonly fill: Formatter;
  readonly keys: readonly string[];
  /** Why it can never be filled. */
  readonly fault: string | undefined;
}

export function compileFormat(template: string): CompiledFormat {
  const parts: Part[] = [];
  let fault: string | undefined;
  const faulty = (message: string): Part => {
    fault ??= message;
    return failing(message);
  };
  const keys: string[] = [];
  for (let position = 0; position < template.length;) {
    const percent = template.indexOf("%", position);
    const end = percent === -1 ? template.length : percent;
    if (end > position) parts.push(constant(template.slice(position, end)));
    if (percent === -1) break;
    SPECIFIER.lastIndex = percent;
    const match = SPECIFIER.exec(template);
    parts.push(
      match === null
        ? faulty(`"${shortened(template, 200)}" has an incomplete format`)
        : partOf(match, faulty),
    );
    if (match?.[1] !== undefined) keys.push(match[1]);
    position = match === null ? template.length : SPECIFIER.lastIndex;
  }
  const [only, ...others] = parts;
  if (only === undefined) return { fill: constant(""), keys, fault };
  return { fill: others.length === 0 ? only : concatenated(parts), keys, fault };
}

function concatenated(parts: readonly Part[]): Part {
  return (values) => {
    let text = "";
    for (const part of parts) {
      const piece = part(values);
      if (piece === undefined) return undefined;
      text += piece;
    }
    return text;
  };
}

const constant =
  (text: string): Part =>
  () =>
    text;

const failing =
  (message: string): Part =>
  () => {
    throw new RuleFault(message);
  };

function partOf(match: RegExpExecArray, faulty: (message: string) => Part): Part {
  const [whole, key, flags = "", width = "", precision, conversion = ""] = match;
  if (conversion === "%") return constant("%");
  const convert = CONVERSIONS[conversion];
  if (convert === undefined)
    return faulty(`"${whole}" is not a supported format, expected one such as %(name)s`);
  if (Number(width) > MAX_WIDTH) return faulty(`"${whole}" pads to more than ${MAX_WIDTH} characters`);
  const isPlain = flags === "" && width === "" && precision === undefined;
  return (values) => {
    if (key !== undefined && !Object.hasOwn(values, key)) return undefined;
    const text = convert(key === undefined ? values : values[key]);
    return isPlain ? text : layOut(text, conversion, flags, Number(width), precision);
  };
}

const CONVERSIONS: Readonly<Record<string, (value: unknown) => string>> = {
  s: wholePythonText,
  r: pythonRepr,
  a: pythonRepr,
  d: (value) => integerOf(value).toString(),
  i: (value) => integerOf(value).toString(),
  x: (value) => integerOf(value).toString(16),
  o: (value) => integerOf(value).toString(8),
};

function integerOf(value: unknown): number {
  if (typeof value !== "number" && typeof value !== "boolean")
    throw new RuleFault("a number is required, not a text");
  return Math.trunc(Number(value));
}

function layOut(
  text: string,
  conversion: string,
  flags: string,
  width: number,
  precision: string | undefined,
): string {
  const isText = "sra".includes(conversion);
  const characters = Array.from(text);
  const kept = isText && precision !== undefined ? characters.slice(0, Number(precision)) : characters;
  const missing = Math.max(0, width - kept.length);
  const written = kept.join("");
  if (flags.includes("-")) return written + " ".repeat(missing);
  return (flags.includes("0") && !isText ? "0" : " ").repeat(missing) + written;
}
