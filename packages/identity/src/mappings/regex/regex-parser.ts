/**
 * Parses a pattern of Python's `re`, version 3.11.
 *
 * @see https://docs.python.org/3.11/library/re.html#regular-expression-syntax
 */
import { complement, ALL_CODE_POINTS, NEWLINE, union, type CodePointSet } from "./code-point-set.js";
import { ignoreCase } from "./letter-case.js";
import { readEscape, readSetEscape, type SetItem } from "./regex-escapes.js";
import { readGroup } from "./regex-groups.js";
import {
  createReader,
  next,
  peek,
  skipPast,
  take,
  takeWhile,
  type RegexPiece,
  type RegexReader,
} from "./regex-reader.js";
import { RegexSyntaxError, type RegexFlags, type RegexNode, type RegexRepeat } from "./regex-syntax.js";

/** Python's own limit on a repetition count. */
const COUNT_LIMIT = 2 ** 32 - 1;

const NO_FLAGS: RegexFlags = {
  ignoresCase: false,
  isMultiline: false,
  dotIsAll: false,
  isAscii: false,
  isVerbose: false,
};

/** @throws {RegexSyntaxError} The pattern is invalid, or uses an unsupported feature. */
export function parseRegex(pattern: string): RegexNode {
  const reader = createReader(pattern);
  const node = readBranches(reader, NO_FLAGS, { isTop: true });
  if (peek(reader) !== undefined) throw new RegexSyntaxError("unbalanced parenthesis", reader.position);
  for (const { group, position } of reader.awaited)
    if (group >= reader.widths.length)
      throw new RegexSyntaxError(`invalid group reference ${group}`, position);
  return node;
}

function readBranches(reader: RegexReader, flags: RegexFlags, { isTop }: { isTop: boolean }): RegexNode {
  const branches: RegexNode[] = [];
  let current = flags;
  do {
    const { node, flags: behind } = readSequence(reader, current, {
      isFirst: isTop && branches.length === 0,
    });
    branches.push(node);
    if (isTop) current = behind;
  } while (take(reader, "|"));
  const [only] = branches;
  return branches.length === 1 && only !== undefined ? only : { kind: "alternation", branches };
}

function readSequence(
  reader: RegexReader,
  flags: RegexFlags,
  { isFirst }: { isFirst: boolean },
): { readonly node: RegexNode; readonly flags: RegexFlags } {
  const items: RegexNode[] = [];
  let current = flags;
  for (;;) {
    const character = peek(reader);
    if (character === undefined || character === "|" || character === ")") break;
    if (current.isVerbose && skipRemark(reader)) continue;
    const repeat = readRepeat(reader);
    if (repeat !== undefined) {
      items.push(repeated(items.pop(), repeat));
      continue;
    }
    const piece = readPiece(reader, current, { isFirst: isFirst && items.length === 0 });
    current = piece.flags;
    if (piece.node !== undefined) items.push(piece.node);
  }
  const [only] = items;
  return {
    node: items.length === 1 && only !== undefined ? only : { kind: "sequence", items },
    flags: current,
  };
}

/** White space or a comment, in a verbose pattern. */
function skipRemark(reader: RegexReader): boolean {
  if (takeWhile(reader, /^[ \t\n\r\v\f]$/) !== "") return true;
  if (!take(reader, "#")) return false;
  skipPast(reader, "\n");
  return true;
}

function readPiece(reader: RegexReader, flags: RegexFlags, { isFirst }: { isFirst: boolean }): RegexPiece {
  const node = (made: RegexNode): RegexPiece => ({ node: made, flags });
  const character = next(reader, "");
  switch (character) {
    case "\\": {
      const escaped = readEscape(reader, flags);
      return node("node" in escaped ? escaped.node : setNode([escaped], flags));
    }
    case "[":
      return node(readSet(reader, flags));
    case ".":
      return node({ kind: "set", set: flags.dotIsAll ? ALL_CODE_POINTS : complement(NEWLINE) });
    case "(":
      return readGroup(reader, flags, { isFirst, readBranches, readSequence });
    case "^":
      return node({ kind: "anchor", where: flags.isMultiline ? "line-start" : "start" });
    case "$":
      return node({ kind: "anchor", where: flags.isMultiline ? "line-end" : "end" });
    default:
      return node(setNode([{ character: character.codePointAt(0) ?? 0 }], flags));
  }
}

function setNode(items: readonly SetItem[], flags: RegexFlags): RegexNode & { readonly kind: "set" } {
  const sets = new Set(
    items.map((item): CodePointSet => ("set" in item ? item.set : [item.character, item.character])),
  );
  const [only] = sets;
  const set = only !== undefined && sets.size === 1 ? only : union(...sets);
  return { kind: "set", set: flags.ignoresCase ? ignoreCase(set, flags) : set };
}

function readSet(reader: RegexReader, flags: RegexFlags): RegexNode {
  const start = reader.position - 1;
  const unterminated = "unterminated character set";
  const isNegated = take(reader, "^");
  const ranges: CodePointSet[] = [];
  const plain: SetItem[] = [];
  for (let isEmpty = true; isEmpty || !take(reader, "]"); isEmpty = false) {
    const first = readSetItem(reader, flags);
    if (!take(reader, "-")) {
      plain.push(first);
      continue;
    }
    if (take(reader, "]")) {
      plain.push(first, { character: 0x2d });
      break;
    }
    if (peek(reader) === undefined) throw new RegexSyntaxError(unterminated, start);
    ranges.push(rangeOf(first, readSetItem(reader, flags), start));
  }
  const { set } = setNode([...plain, ...ranges.map((range) => ({ set: range }))], flags);
  return { kind: "set", set: isNegated ? complement(set) : set };
}

function readSetItem(reader: RegexReader, flags: RegexFlags): SetItem {
  const character = next(reader, "unterminated character set");
  return character === "\\" ? readSetEscape(reader, flags) : { character: character.codePointAt(0) ?? 0 };
}

function rangeOf(first: SetItem, last: SetItem, start: number): CodePointSet {
  if ("set" in first || "set" in last || last.character < first.character)
    throw new RegexSyntaxError("bad character range in the set", start);
  return [first.character, last.character];
}

type Repeat = Omit<RegexRepeat, "kind" | "item"> & { readonly start: number };

const QUANTIFIERS = new Map([
  ["*", { min: 0, max: Infinity }],
  ["+", { min: 1, max: Infinity }],
  ["?", { min: 0, max: 1 }],
]);

/** Reads a quantifier, if one follows. A brace that opens none is a literal. */
function readRepeat(reader: RegexReader): Repeat | undefined {
  const start = reader.position;
  const counts = QUANTIFIERS.get(peek(reader) ?? "") ?? readCounts(reader);
  if (counts === undefined) return undefined;
  if (QUANTIFIERS.has(reader.characters[start] ?? "")) reader.position++;
  const mode = take(reader, "?") ? "lazy" : take(reader, "+") ? "possessive" : "greedy";
  return { ...counts, mode, start };
}

function readCounts(reader: RegexReader): { min: number; max: number } | undefined {
  const start = reader.position;
  if (!take(reader, "{")) return undefined;
  const low = takeWhile(reader, /^[0-9]$/);
  const hasComma = take(reader, ",");
  const high = hasComma ? takeWhile(reader, /^[0-9]$/) : low;
  if (!take(reader, "}") || (low === "" && !hasComma)) {
    reader.position = start;
    return undefined;
  }
  const min = low === "" ? 0 : Number(low);
  const max = high === "" ? Infinity : Number(high);
  if (min >= COUNT_LIMIT || (high !== "" && max >= COUNT_LIMIT))
    throw new RegexSyntaxError("the repetition number is too large", start);
  if (max < min) throw new RegexSyntaxError("min repeat greater than max repeat", start);
  return { min, max };
}

function repeated(item: RegexNode | undefined, { start, ...repeat }: Repeat): RegexNode {
  if (item === undefined || item.kind === "anchor") throw new RegexSyntaxError("nothing to repeat", start);
  if (item.kind === "repeat") throw new RegexSyntaxError("multiple repeat", start);
  return { kind: "repeat", ...repeat, item };
}
