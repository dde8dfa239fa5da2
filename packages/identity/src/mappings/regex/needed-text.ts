/** A text that whatever a pattern matches has in it. Most texts lack it, and then nothing has to be searched for. */
import type { RegexNode } from "./regex-syntax.js";

/** The longest text that each match has in it; empty, if there is none to be sure of. */
export function neededText(node: RegexNode): string {
  return runsOf(node).reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** Texts that are in each match. Those of a sequence are joined where nothing can stand between. */
function runsOf(node: RegexNode): readonly string[] {
  switch (node.kind) {
    case "group":
    case "atomic":
      return runsOf(node.item);
    case "repeat":
      return node.min > 0 ? runsOf(node.item) : [];
    case "sequence":
      return runsOfSequence(node.items);
    default:
      return [characterOf(node) ?? ""];
  }
}

function runsOfSequence(items: readonly RegexNode[]): readonly string[] {
  const runs: string[] = [];
  let current = "";
  for (const item of items) {
    const character = characterOf(item);
    if (character !== undefined) current += character;
    else if (item.kind !== "at") {
      runs.push(current, ...runsOf(item));
      current = "";
    }
  }
  return [...runs, current];
}

/** The only character that a piece matches. */
function characterOf(node: RegexNode): string | undefined {
  if (node.kind !== "set") return undefined;
  const [first, last] = node.set;
  return node.set.length === 2 && first !== undefined && first === last
    ? String.fromCodePoint(first)
    : undefined;
}
