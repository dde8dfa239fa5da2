/** A pattern after reading: what it consists of. Flags are resolved, and a character is always a set. */
import type { CodePointSet } from "./code-point-set.js";

export type RegexNode =
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "either"; readonly branches: readonly RegexNode[] }
  | RegexRepeat
  | { readonly kind: "group"; readonly number: number; readonly item: RegexNode }
  | { readonly kind: "atomic"; readonly item: RegexNode }
  | RegexLook
  | { readonly kind: "at"; readonly where: RegexPlace }
  | { readonly kind: "reference"; readonly group: number; readonly ignoresCase: "no" | "ascii" | "unicode" }
  | { readonly kind: "condition"; readonly group: number; readonly yes: RegexNode; readonly no: RegexNode };

export interface RegexRepeat {
  readonly kind: "repeat";
  readonly min: number;
  /** `Infinity` without a limit. */
  readonly max: number;
  readonly mode: "greedy" | "lazy" | "possessive";
  readonly item: RegexNode;
}

export interface RegexLook {
  readonly kind: "look";
  /** Characters to go back before looking; `undefined` looks ahead. */
  readonly back: number | undefined;
  readonly wanted: boolean;
  readonly item: RegexNode;
}

/**
 * `end` is also before a newline that ends the text; `very-end` is not. Boundaries are between word characters of
 * Unicode, or of ASCII alone.
 */
export type RegexPlace =
  | "start"
  | "line-start"
  | "end"
  | "line-end"
  | "very-end"
  | "boundary"
  | "no-boundary"
  | "ascii-boundary"
  | "ascii-no-boundary";

/** The flags that hold at a place of the pattern. */
export interface RegexFlags {
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  readonly dotIsAll: boolean;
  readonly isAscii: boolean;
  readonly isVerbose: boolean;
}

/** Why a pattern can not be used. */
export class RegexSyntaxError extends Error {
  override readonly name = "RegexSyntaxError";
  /** Characters before the place of the fault. */
  readonly position: number;

  constructor(fault: string, position: number) {
    super(`${fault} at position ${position}`);
    this.position = position;
  }
}

/** How many characters a piece can span: the least and the most. `widths` holds those of the groups that are closed. */
export function widthOf(node: RegexNode, widths: readonly (Width | undefined)[]): Width {
  switch (node.kind) {
    case "set":
      return { least: 1, most: 1 };
    case "at":
    case "look":
      return { least: 0, most: 0 };
    case "sequence":
      return node.items.map((item) => widthOf(item, widths)).reduce(sumOf, { least: 0, most: 0 });
    case "either":
      return node.branches.map((branch) => widthOf(branch, widths)).reduce(spanOf);
    case "repeat": {
      const { least, most } = widthOf(node.item, widths);
      return { least: least * node.min, most: most === 0 || node.max === 0 ? 0 : most * node.max };
    }
    case "group":
    case "atomic":
      return widthOf(node.item, widths);
    case "reference":
      return widths[node.group] ?? { least: 0, most: Infinity };
    default:
      return spanOf(widthOf(node.yes, widths), widthOf(node.no, widths));
  }
}

export interface Width {
  readonly least: number;
  readonly most: number;
}

const sumOf = (a: Width, b: Width): Width => ({ least: a.least + b.least, most: a.most + b.most });
const spanOf = (a: Width, b: Width): Width => ({
  least: Math.min(a.least, b.least),
  most: Math.max(a.most, b.most),
});
