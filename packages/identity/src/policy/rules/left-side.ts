/** The left side of a check `left:right`: a Python literal, or the path of an attribute of the caller. */
import { parseList } from "../../platform/text/python-literal.js";
import { wholePythonText } from "../../platform/http/validation/python-text.js";

export type LeftSide =
  /** `'member'`, `None`, `1`: compared as Python's `str` writes it. */
  | { readonly kind: "literal"; readonly text: string }
  /** `token.user.id`. */
  | { readonly kind: "path"; readonly path: readonly string[] }
  /** Not Python. */
  | { readonly kind: "invalid" };

export function readLeftSide(left: string): LeftSide {
  const text = numberText(left) ?? literalText(left);
  if (text !== undefined) return { kind: "literal", text };
  return isExpression(left) ? { kind: "path", path: left.split(".") } : { kind: "invalid" };
}

function numberText(left: string): string | undefined {
  if (/^[+-]?(?:0+|[1-9](?:_?\d)*)$/.test(left)) return BigInt(left.replaceAll(/[_+]/g, "")).toString();
  if (/^[+-]?\d(?:_?\d)*\.\d*$/.test(left)) {
    const value = Number(left.replaceAll("_", ""));
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  const complex = /^(\d+)([+-])(\d+)j$/.exec(left);
  return complex === null ? undefined : `(${left})`;
}

function literalText(left: string): string | undefined {
  if (left === "...") return "Ellipsis";
  if (/^b'[!-&(-[\]-~]*'$/.test(left)) return left;
  const values = parseList(`[${left}]`);
  return values?.length === 1 ? wholePythonText(values[0]) : undefined;
}

/** Words of Python that can't be names. */
const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
    "nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const TEXT = String.raw`'[^'\\]*'`;
const OPERAND = new RegExp(String.raw`^(?:${NAME}|${TEXT})(?:\((?:${TEXT})?\))?$`, "u");

/** Whether Python could parse it, as far as attributes of callers are concerned: `token.OS-TRUST.id` is a subtraction there. */
function isExpression(left: string): boolean {
  return left
    .replace(/^(?:not )+/, "")
    .split(/[.@-]/u)
    .every((operand) => OPERAND.test(operand) && !KEYWORDS.has(operand.replace(/\(.*$/su, "")));
}
