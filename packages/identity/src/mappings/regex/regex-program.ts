/**
 * Compiles a pattern to a program for the backtracking engine.
 *
 * Counts are unrolled, so that a state is a step and a position; the engine can then remember failed states.
 */
import type { CodePointSet } from "./code-point-set.js";
import {
  RegexSyntaxError,
  widthOf,
  type RegexLookaround,
  type RegexNode,
  type RegexAnchor,
  type RegexRepeat,
} from "./regex-syntax.js";

/** Targets such as `to` are step numbers. By default the next step follows. */
export type RegexStep =
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "anchor"; readonly where: RegexAnchor }
  /** Continues at `first`, and at `second` if that fails. */
  | { kind: "split"; first: number; second: number }
  | { kind: "jump"; to: number }
  /** Stores the position in a slot: start or end of a group, or start of a loop iteration. */
  | { readonly kind: "save"; readonly slot: number }
  /** Leaves a loop after an empty iteration. */
  | { kind: "leave-if-empty"; readonly slot: number; to: number }
  | { readonly kind: "lookaround"; readonly back: number; readonly wanted: boolean; end: number }
  /** Runs the steps up to `end` without backtracking into them. */
  | { kind: "atomic"; end: number }
  | { readonly kind: "reference"; readonly group: number; readonly ignoresCase: "no" | "ascii" | "unicode" }
  | { kind: "condition"; readonly group: number; otherwise: number }
  | { readonly kind: "done" };

export interface RegexProgram {
  readonly steps: readonly RegexStep[];
  /** How many slots "save" uses. */
  readonly slots: number;
  /** Whether the outcome of a state depends on step and position alone; then there are no slots. */
  readonly isForgetful: boolean;
}

const MAX_STEPS = 10_000;

/** @throws {RegexSyntaxError} The program has more than `MAX_STEPS` steps. */
export function toProgram(node: RegexNode): RegexProgram {
  const needsSlots = !isForgetful(node);
  const writer: Writer = { steps: [], needsSlots, slots: needsSlots ? 2 * (groupCount(node) + 1) : 0 };
  write(writer, node);
  emit(writer, { kind: "done" });
  return { steps: writer.steps, slots: writer.slots, isForgetful: !needsSlots };
}

interface Writer {
  readonly steps: RegexStep[];
  readonly needsSlots: boolean;
  slots: number;
}

function emit<Step extends RegexStep>(writer: Writer, step: Step): Step {
  if (writer.steps.push(step) > MAX_STEPS)
    throw new RegexSyntaxError(`counts and sets compile to more than ${MAX_STEPS} steps`, 0);
  return step;
}

function write(writer: Writer, node: RegexNode): void {
  switch (node.kind) {
    case "set":
    case "anchor":
    case "reference":
      emit(writer, node);
      return;
    case "sequence":
      for (const item of node.items) write(writer, item);
      return;
    case "alternation":
      writeAlternation(writer, node.branches);
      return;
    case "group":
      if (writer.needsSlots) emit(writer, { kind: "save", slot: 2 * node.number });
      write(writer, node.item);
      if (writer.needsSlots) emit(writer, { kind: "save", slot: 2 * node.number + 1 });
      return;
    case "repeat":
      writeRepeat(writer, node);
      return;
    case "atomic":
      writeAtomic(writer, node.item);
      return;
    case "lookaround":
      writeLookaround(writer, node);
      return;
    case "condition":
      writeCondition(writer, node);
  }
}

function writeAlternation(writer: Writer, branches: readonly RegexNode[]): void {
  const jumps: { to: number }[] = [];
  for (const [index, branch] of branches.entries()) {
    const isLast = index === branches.length - 1;
    const split = isLast
      ? undefined
      : emit(writer, { kind: "split", first: writer.steps.length + 1, second: 0 });
    write(writer, branch);
    if (split === undefined) break;
    jumps.push(emit(writer, { kind: "jump", to: 0 }));
    split.second = writer.steps.length;
  }
  for (const jump of jumps) jump.to = writer.steps.length;
}

function writeRepeat(writer: Writer, repeat: RegexRepeat): void {
  const { item, mode } = repeat;
  // One iteration of an item that matches only the empty text is enough; more would unroll without end.
  const limit = widthOf(item, []).max === 0 ? 1 : Infinity;
  const [min, max] = [Math.min(repeat.min, limit), Math.min(repeat.max, limit)];
  if (mode === "possessive") {
    writeAtomic(writer, { kind: "repeat", item, min, max, mode: "greedy" });
    return;
  }
  for (let count = 0; count < min; count++) write(writer, item);
  if (max === Infinity) writeLoop(writer, { item, mode });
  else writeOptional(writer, { item, mode, count: max - min });
}

function writeLoop(writer: Writer, { item, mode }: Pick<RegexRepeat, "item" | "mode">): void {
  const start = writer.steps.length;
  const split = emit(writer, { kind: "split", first: 0, second: 0 });
  const slot = writer.needsSlots && canBeEmpty(item) ? writer.slots++ : undefined;
  if (slot !== undefined) emit(writer, { kind: "save", slot });
  write(writer, item);
  const leave = slot === undefined ? undefined : emit(writer, { kind: "leave-if-empty", slot, to: 0 });
  emit(writer, { kind: "jump", to: start });
  const end = writer.steps.length;
  if (leave !== undefined) leave.to = end;
  aim(split, { mode, inside: start + 1, behind: end });
}

/** `x{0,3}` is `(x(x(x)?)?)?`. */
function writeOptional(
  writer: Writer,
  { item, mode, count }: Pick<RegexRepeat, "item" | "mode"> & { readonly count: number },
): void {
  const splits: { split: RegexStep & { kind: "split" }; inside: number }[] = [];
  for (let turn = 0; turn < count; turn++) {
    const split = emit(writer, { kind: "split", first: 0, second: 0 });
    splits.push({ split, inside: writer.steps.length });
    write(writer, item);
  }
  for (const { split, inside } of splits) aim(split, { mode, inside, behind: writer.steps.length });
}

function aim(
  split: { first: number; second: number },
  { mode, inside, behind }: { mode: RegexRepeat["mode"]; inside: number; behind: number },
): void {
  split.first = mode === "lazy" ? behind : inside;
  split.second = mode === "lazy" ? inside : behind;
}

function writeAtomic(writer: Writer, item: RegexNode): void {
  const atomic = emit(writer, { kind: "atomic", end: 0 });
  write(writer, item);
  emit(writer, { kind: "done" });
  atomic.end = writer.steps.length;
}

function writeLookaround(writer: Writer, { item, back = 0, wanted }: RegexLookaround): void {
  const look = emit(writer, { kind: "lookaround", back, wanted, end: 0 });
  write(writer, item);
  emit(writer, { kind: "done" });
  look.end = writer.steps.length;
}

function writeCondition(writer: Writer, { group, yes, no }: RegexNode & { kind: "condition" }): void {
  const condition = emit(writer, { kind: "condition", group, otherwise: 0 });
  write(writer, yes);
  const jump = emit(writer, { kind: "jump", to: 0 });
  condition.otherwise = writer.steps.length;
  write(writer, no);
  jump.to = writer.steps.length;
}

const canBeEmpty = (node: RegexNode): boolean => widthOf(node, []).min === 0;

function* partsOf(node: RegexNode): Generator<RegexNode> {
  yield node;
  if ("item" in node) yield* partsOf(node.item);
  else if (node.kind === "sequence") for (const item of node.items) yield* partsOf(item);
  else if (node.kind === "alternation") for (const branch of node.branches) yield* partsOf(branch);
  else if (node.kind === "condition") {
    yield* partsOf(node.yes);
    yield* partsOf(node.no);
  }
}

function groupCount(node: RegexNode): number {
  return Math.max(0, ...[...partsOf(node)].map((part) => (part.kind === "group" ? part.number : 0)));
}

/**
 * Whether the path to a state does not matter. It matters with backreferences and conditionals, and with empty loop iterations
 * inside an atomic group.
 */
function isForgetful(node: RegexNode): boolean {
  const parts = [...partsOf(node)];
  if (parts.some(({ kind }) => kind === "reference" || kind === "condition")) return false;
  const isAtomic = parts.some(
    (part) => part.kind === "atomic" || (part.kind === "repeat" && part.mode === "possessive"),
  );
  const hasEmptyTurns = parts.some(
    (part) => part.kind === "repeat" && part.max === Infinity && canBeEmpty(part.item),
  );
  return !(isAtomic && hasEmptyTurns);
}
