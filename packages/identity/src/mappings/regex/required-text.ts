/** A substring that every match of a pattern contains: a text without it is rejected before any engine runs. */
import type { RegexNode } from "./regex-syntax.js";

/** The longest known substring of every match; empty if none is known. */
export function requiredText(node: RegexNode): string {
  return runsOf(node).reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** Substrings of every match. Adjacent characters of a sequence form one. */
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
    else if (item.kind !== "anchor") {
      runs.push(current, ...runsOf(item));
      current = "";
    }
  }
  return [...runs, current];
}

/** The character of a node that matches exactly one. */
function characterOf(node: RegexNode): string | undefined {
  if (node.kind !== "set") return undefined;
  const [first, last] = node.set;
  return node.set.length === 2 && first !== undefined && first === last
    ? String.fromCodePoint(first)
    : undefined;
}
