/** The syntax tree of a pattern. Flags are resolved, and a character is a set of one. */
import type { CodePointSet } from "./code-point-set.js";

export type RegexNode =
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "alternation"; readonly branches: readonly RegexNode[] }
  | RegexRepeat
  | { readonly kind: "group"; readonly number: number; readonly item: RegexNode }
  | { readonly kind: "atomic"; readonly item: RegexNode }
  | RegexLookaround
  | { readonly kind: "anchor"; readonly where: RegexAnchor }
  | { readonly kind: "reference"; readonly group: number; readonly ignoresCase: "no" | "ascii" | "unicode" }
  | { readonly kind: "condition"; readonly group: number; readonly yes: RegexNode; readonly no: RegexNode };

export interface RegexRepeat {
  readonly kind: "repeat";
  readonly min: number;
  /** `Infinity` if unbounded. */
  readonly max: number;
  readonly mode: "greedy" | "lazy" | "possessive";
  readonly item: RegexNode;
}

export interface RegexLookaround {
  readonly kind: "lookaround";
  /** Characters to step back for a look-behind; `undefined` for a look-ahead. */
  readonly back: number | undefined;
  readonly wanted: boolean;
  readonly item: RegexNode;
}

/**
 * `end` also matches before a final newline; `very-end` does not. Word boundaries use Unicode word characters, or ASCII alone.
 */
export type RegexAnchor =
  | "start"
  | "line-start"
  | "end"
  | "line-end"
  | "very-end"
  | "boundary"
  | "no-boundary"
  | "ascii-boundary"
  | "ascii-no-boundary";

/** The flags in effect at a position of the pattern. */
export interface RegexFlags {
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  readonly dotIsAll: boolean;
  readonly isAscii: boolean;
  readonly isVerbose: boolean;
}

/** The pattern is invalid or not supported. */
export class RegexSyntaxError extends Error {
  override readonly name = "RegexSyntaxError";
  /** Characters before the fault. */
  readonly position: number;

  constructor(fault: string, position: number) {
    super(`${fault} at position ${position}`);
    this.position = position;
  }
}

/** How many characters a node can match. `widths` holds the widths of closed groups. */
export function widthOf(node: RegexNode, widths: readonly (Width | undefined)[]): Width {
  switch (node.kind) {
    case "set":
      return { min: 1, max: 1 };
    case "anchor":
    case "lookaround":
      return { min: 0, max: 0 };
    case "sequence":
      return node.items.map((item) => widthOf(item, widths)).reduce(sumOf, { min: 0, max: 0 });
    case "alternation":
      return node.branches.map((branch) => widthOf(branch, widths)).reduce(spanOf);
    case "repeat": {
      const { min, max } = widthOf(node.item, widths);
      return { min: min * node.min, max: max === 0 || node.max === 0 ? 0 : max * node.max };
    }
    case "group":
    case "atomic":
      return widthOf(node.item, widths);
    case "reference":
      return widths[node.group] ?? { min: 0, max: Infinity };
    default:
      return spanOf(widthOf(node.yes, widths), widthOf(node.no, widths));
  }
}

export interface Width {
  readonly min: number;
  readonly max: number;
}

const sumOf = (a: Width, b: Width): Width => ({ min: a.min + b.min, max: a.max + b.max });
const spanOf = (a: Width, b: Width): Width => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
