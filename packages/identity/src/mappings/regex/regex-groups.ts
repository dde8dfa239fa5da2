/** Parses what a parenthesis opens: groups, lookarounds, conditionals, comments and flags. */
import { readReference } from "./regex-escapes.js";
import {
  checkReference,
  next,
  peek,
  skipPast,
  take,
  takeUntil,
  type RegexPiece,
  type RegexReader,
} from "./regex-reader.js";
import { RegexSyntaxError, widthOf, type RegexFlags, type RegexNode } from "./regex-syntax.js";

/** How to parse the content of a group. */
export interface GroupContext {
  /** Whether the group is at the start of the pattern: only there may flags apply to the whole pattern. */
  readonly isFirst: boolean;
  readBranches(reader: RegexReader, flags: RegexFlags, options: { isTop: boolean }): RegexNode;
  readSequence(
    reader: RegexReader,
    flags: RegexFlags,
    options: { isFirst: boolean },
  ): { readonly node: RegexNode };
}

/** Nesting limit: the parser is recursive. */
const MAX_DEPTH = 200;

const IDENTIFIER = /^[\p{XIDS}_]\p{XIDC}*$/u;

/** Reads a group, from behind its opening parenthesis to behind the closing one. */
export function readGroup(reader: RegexReader, flags: RegexFlags, context: GroupContext): RegexPiece {
  if (++reader.depth > MAX_DEPTH)
    throw new RegexSyntaxError(`groups nested deeper than ${MAX_DEPTH} levels`, reader.position);
  const piece = readOpened(reader, flags, context);
  reader.depth--;
  return piece;
}

function readOpened(reader: RegexReader, flags: RegexFlags, context: GroupContext): RegexPiece {
  const start = reader.position - 1;
  const node = (made: RegexNode): RegexPiece => ({ node: made, flags });
  if (!take(reader, "?")) return node(readCapture(reader, undefined, { flags, start, context }));
  const end = "unexpected end of pattern";
  const kind = next(reader, end);
  switch (kind) {
    case "P":
      return node(readNamed(reader, { flags, start, context }));
    case ":":
      return node(hidden(readInside(reader, { flags, start, context })));
    case "#":
      if (!skipPast(reader, ")"))
        throw new RegexSyntaxError("missing ), unterminated comment", reader.position);
      return { node: undefined, flags };
    case "=":
    case "!":
      return node({
        kind: "lookaround",
        back: undefined,
        wanted: kind === "=",
        item: readInside(reader, { flags, start, context }),
      });
    case "<":
      return node(readLookbehind(reader, { flags, start, context }));
    case "(":
      return node(readCondition(reader, { flags, start, context }));
    case ">":
      return node({ kind: "atomic", item: readInside(reader, { flags, start, context }) });
    default:
      reader.position--;
      return readFlags(reader, { flags, start, context });
  }
}

interface Opening {
  readonly flags: RegexFlags;
  readonly start: number;
  readonly context: GroupContext;
}

function readInside(reader: RegexReader, { flags, start, context }: Opening): RegexNode {
  const node = context.readBranches(reader, flags, { isTop: false });
  if (!take(reader, ")")) throw new RegexSyntaxError("missing ), unterminated subpattern", start);
  return node;
}

/** Keeps a non-capturing group one unit for a quantifier: `(?:a*)*`, and `(?:^)*`. */
function hidden(node: RegexNode): RegexNode {
  return node.kind === "repeat" || node.kind === "anchor" ? { kind: "sequence", items: [node] } : node;
}

function readCapture(reader: RegexReader, name: string | undefined, opening: Opening): RegexNode {
  const number = reader.widths.push(undefined) - 1;
  if (name !== undefined) reader.names.set(name, number);
  const item = readInside(reader, opening);
  reader.widths[number] = widthOf(item, reader.widths);
  return { kind: "group", number, item };
}

/** `(?P<name>...)` and `(?P=name)`. */
function readNamed(reader: RegexReader, opening: Opening): RegexNode {
  const kind = next(reader, "unexpected end of pattern");
  if (kind === "<") {
    const name = checkName(takeUntil(reader, ">", "group name"), reader.position);
    if (reader.names.has(name))
      throw new RegexSyntaxError(`redefinition of group name '${name}'`, reader.position - name.length - 1);
    return readCapture(reader, name, opening);
  }
  if (kind !== "=") throw new RegexSyntaxError(`unknown extension ?P${kind}`, opening.start + 1);
  const name = checkName(takeUntil(reader, ")", "group name"), reader.position);
  return readReference(reader, groupNamed(reader, name), opening);
}

function checkName(name: string, end: number): string {
  if (IDENTIFIER.test(name)) return name;
  throw new RegexSyntaxError(`bad character in group name '${name}'`, end - name.length - 1);
}

function groupNamed(reader: RegexReader, name: string): number {
  const group = reader.names.get(name);
  if (group !== undefined) return group;
  throw new RegexSyntaxError(`unknown group name '${name}'`, reader.position - name.length - 1);
}

/** Python steps back a fixed number of characters, so the width must be fixed. */
function readLookbehind(reader: RegexReader, opening: Opening): RegexNode {
  const kind = next(reader, "unexpected end of pattern");
  if (kind !== "=" && kind !== "!")
    throw new RegexSyntaxError(`unknown extension ?<${kind}`, opening.start + 1);
  const around = reader.firstGroupBehind;
  reader.firstGroupBehind ??= reader.widths.length;
  const item = readInside(reader, opening);
  reader.firstGroupBehind = around;
  const { min, max } = widthOf(item, reader.widths);
  if (min !== max) throw new RegexSyntaxError("look-behind requires fixed-width pattern", opening.start);
  return { kind: "lookaround", back: min, wanted: kind === "=", item };
}

/** `(?(1)yes|no)`. */
function readCondition(reader: RegexReader, { flags, start, context }: Opening): RegexNode {
  const at = reader.position;
  const name = takeUntil(reader, ")", "group name");
  const group = IDENTIFIER.test(name) ? groupNamed(reader, name) : groupNumbered(name, at);
  reader.awaited.push({ group, position: at });
  if (reader.firstGroupBehind !== undefined) checkReference(reader, group, at);
  const yes = context.readSequence(reader, flags, { isFirst: false }).node;
  const no: RegexNode = take(reader, "|")
    ? context.readSequence(reader, flags, { isFirst: false }).node
    : { kind: "sequence", items: [] };
  if (peek(reader) === "|")
    throw new RegexSyntaxError("conditional backref with more than two branches", reader.position);
  if (!take(reader, ")")) throw new RegexSyntaxError("missing ), unterminated subpattern", start);
  return { kind: "condition", group, yes, no };
}

function groupNumbered(name: string, position: number): number {
  if (!/^[0-9]{1,9}$/.test(name))
    throw new RegexSyntaxError(`bad character in group name '${name}'`, position);
  if (Number(name) === 0) throw new RegexSyntaxError("bad group number", position);
  return Number(name);
}

const FLAGS = new Map<string, Partial<RegexFlags>>([
  ["i", { ignoresCase: true }],
  ["m", { isMultiline: true }],
  ["s", { dotIsAll: true }],
  ["x", { isVerbose: true }],
  ["a", { isAscii: true }],
  ["u", { isAscii: false }],
]);
const UNCHANGED_FLAGS: Partial<RegexFlags> = {};

/** `(?i)` for the pattern, `(?i:...)`, `(?-i:...)` and `(?i-s:...)` for the group. */
function readFlags(reader: RegexReader, opening: Opening): RegexPiece {
  const { flags, start, context } = opening;
  const on = readFlagLetters(reader);
  if (on.has("a") && on.has("u"))
    throw new RegexSyntaxError("bad inline flags: flags 'a', 'u' and 'L' are incompatible", start);
  const withOn = { ...flags, ...merged(on) };
  if (on.size > 0 && take(reader, ")")) {
    if (!context.isFirst)
      throw new RegexSyntaxError("global flags not at the start of the expression", start);
    if (on.has("u") && flags.isAscii) throw new RegexSyntaxError("flags 'a' and 'u' are incompatible", start);
    return { node: undefined, flags: withOn };
  }
  const off = take(reader, "-") ? readFlagLetters(reader) : undefined;
  if (off?.size === 0) throw new RegexSyntaxError("missing flag", reader.position);
  checkOff(off ?? new Set(), { on, start });
  if (!take(reader, ":")) throw new RegexSyntaxError("unknown flag, or missing :", reader.position);
  const inverted = Object.fromEntries(Object.keys(merged(off ?? new Set())).map((flag) => [flag, false]));
  const inside = readInside(reader, { ...opening, flags: { ...withOn, ...inverted } });
  return { node: hidden(inside), flags };
}

function readFlagLetters(reader: RegexReader): Set<string> {
  const letters = new Set<string>();
  for (;;) {
    const letter = peek(reader) ?? "";
    if (letter === "L")
      throw new RegexSyntaxError("bad inline flags: cannot use 'L' flag with a str pattern", reader.position);
    if (!FLAGS.has(letter)) return letters;
    letters.add(letter);
    reader.position++;
  }
}

function merged(letters: ReadonlySet<string>): Partial<RegexFlags> {
  return Object.assign({}, ...[...letters].map((letter) => FLAGS.get(letter) ?? UNCHANGED_FLAGS));
}

function checkOff(off: ReadonlySet<string>, { on, start }: { on: ReadonlySet<string>; start: number }): void {
  if (off.has("a") || off.has("u"))
    throw new RegexSyntaxError("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", start);
  if ([...off].some((letter) => on.has(letter)))
    throw new RegexSyntaxError("bad inline flags: flag turned on and off", start);
}
