/**
 * Writes a pattern in the syntax of RE2, whose time is linear in the text. It stays away from what RE2 has not (looks to
 * either side, references), and from what means something else there: boundaries between words of Unicode, and `$` in
 * the middle. Only whether there is a match counts, so all quantifiers are greedy.
 */
import { LAST_CODE_POINT, rangesOf, type CodePointSet } from "./code-point-set.js";
import type { RegexNode, RegexPlace, RegexRepeat } from "./regex-syntax.js";

/** RE2 refuses more. */
const MOST_COUNTED = 1000;

/** The pattern for RE2, or `undefined` if it can't say the same. */
export function toRe2(node: RegexNode, { isLast = true } = {}): string | undefined {
  switch (node.kind) {
    case "set":
      return setToRe2(node.set);
    case "at":
      return placeToRe2(node.where, isLast);
    case "sequence":
      return joined(
        node.items.map((item, index) => toRe2(item, { isLast: isLast && index === node.items.length - 1 })),
        "",
      );
    case "either": {
      const branches = joined(
        node.branches.map((branch) => toRe2(branch, { isLast })),
        "|",
      );
      return branches === undefined ? undefined : `(?:${branches})`;
    }
    case "group":
      return toRe2(node.item, { isLast });
    case "repeat":
      return repeatToRe2(node, isLast);
    default:
      return undefined;
  }
}

/** All parts together, or nothing if one is missing. */
function joined(parts: readonly (string | undefined)[], separator: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

function placeToRe2(where: RegexPlace, isLast: boolean): string | undefined {
  switch (where) {
    case "start":
      return "\\A";
    case "very-end":
      return "\\z";
    case "line-start":
      return "(?m:^)";
    case "line-end":
      return "(?m:$)";
    case "end":
      return isLast ? "\\n?\\z" : undefined;
    case "ascii-boundary":
      return "\\b";
    default:
      return undefined;
  }
}

function repeatToRe2({ item, min, max, mode }: RegexRepeat, isLast: boolean): string | undefined {
  if (mode === "possessive" || min > MOST_COUNTED || (max > MOST_COUNTED && max !== Infinity))
    return undefined;
  const inside = toRe2(item, { isLast: isLast && max === 1 });
  return inside === undefined ? undefined : `(?:${inside})${quantifier(min, max)}`;
}

function quantifier(min: number, max: number): string {
  if (min === 0 && max === 1) return "?";
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return `{${min},${max}}`;
}

function setToRe2(set: CodePointSet): string {
  const [first, last] = set;
  if (first === undefined) return `[^\\x{0}-\\x{${LAST_CODE_POINT.toString(16)}}]`;
  if (set.length === 2 && first === last) return characterToRe2(first);
  const ranges = rangesOf(set).map(([from, to]) => `${characterToRe2(from)}-${characterToRe2(to)}`);
  return `[${ranges.join("")}]`;
}

function characterToRe2(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[0-9A-Za-z]$/.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}
