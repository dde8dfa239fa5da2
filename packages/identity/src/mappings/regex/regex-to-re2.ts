/**
 * Translates a pattern to RE2, whose time is linear in the text. Excluded are features that RE2 lacks (lookarounds,
 * backreferences), and those with another meaning there: Unicode word boundaries, and `$` in the middle. Only the existence
 * of a match counts, so all quantifiers are greedy.
 */
import { LAST_CODE_POINT, rangesOf, type CodePointSet } from "./code-point-set.js";
import type { RegexNode, RegexAnchor, RegexRepeat } from "./regex-syntax.js";

/** The equivalent RE2 pattern; `undefined` if there is none. */
export function toRe2(node: RegexNode, { isLast = true } = {}): string | undefined {
  switch (node.kind) {
    case "set":
      return setToRe2(node.set);
    case "anchor":
      return anchorToRe2(node.where, isLast);
    case "sequence":
      return joined(
        node.items.map((item, index) => toRe2(item, { isLast: isLast && index === node.items.length - 1 })),
        "",
      );
    case "alternation": {
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

function joined(parts: readonly (string | undefined)[], separator: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

function anchorToRe2(where: RegexAnchor, isLast: boolean): string | undefined {
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
  if (mode === "possessive") return undefined;
  const inside = toRe2(item, { isLast: isLast && max === 1 });
  return inside === undefined ? undefined : `(?:${inside})${quantifier(min, max)}`;
}

function quantifier(min: number, max: number): string {
  return max === Infinity ? `{${min},}` : `{${min},${max}}`;
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
