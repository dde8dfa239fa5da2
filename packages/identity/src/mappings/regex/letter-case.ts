/**
 * Case-insensitive matching as in Python's `re`: characters are equal if they have the same lower case, or if their lower
 * cases have the same upper case (`s` and `ſ`, `i` and `ı`).
 */
import { ASCII_WORD, has, once, rangesOf, union, type CodePointSet } from "./code-point-set.js";

/** Beyond the last cased character (Adlam), with room for later scripts. */
const LAST_CASED = 0x1ffff;

/** Results by set: sets such as `\w` recur and are large. */
const found = {
  ascii: new WeakMap<CodePointSet, CodePointSet>(),
  all: new WeakMap<CodePointSet, CodePointSet>(),
};

/** A set, with all characters that differ from its members by case alone. */
export function ignoreCase(set: CodePointSet, { isAscii }: { isAscii: boolean }): CodePointSet {
  const known = isAscii ? found.ascii : found.all;
  const result = known.get(set) ?? addSiblings(set, { isAscii });
  known.set(set, result);
  return result;
}

function addSiblings(set: CodePointSet, { isAscii }: { isAscii: boolean }): CodePointSet {
  const siblings = isAscii ? asciiSiblings() : allSiblings();
  const added: number[] = [];
  for (const [from, to] of rangesOf(set)) {
    for (const character of casedWithin(siblings.sorted, from, to))
      for (const sibling of siblings.of.get(character) ?? [])
        if (!has(set, sibling)) added.push(sibling, sibling);
  }
  return added.length === 0 ? set : union(set, added);
}

/** Simple case mapping, one character to one: İ becomes i. */
export function toLower(codePoint: number, { isAscii }: { isAscii: boolean }): number {
  if (codePoint < 0x80 || isAscii) return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint + 32 : codePoint;
  return String.fromCodePoint(codePoint).toLowerCase().codePointAt(0) ?? codePoint;
}

interface Siblings {
  readonly of: ReadonlyMap<number, readonly number[]>;
  readonly sorted: readonly number[];
}

const asciiSiblings = once(() => {
  const letters = rangesOf(ASCII_WORD).flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  );
  return siblingsBy(letters, (codePoint) => String(toLower(codePoint, { isAscii: true })));
});

const allSiblings = once(() => {
  const cased: number[] = [];
  for (let codePoint = 0; codePoint <= LAST_CASED; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    if (character.toLowerCase() !== character || character.toUpperCase() !== character) cased.push(codePoint);
  }
  return siblingsBy(cased, (codePoint) =>
    String.fromCodePoint(toLower(codePoint, { isAscii: false })).toUpperCase(),
  );
});

function siblingsBy(characters: readonly number[], keyOf: (character: number) => string): Siblings {
  const groups = new Map<string, number[]>();
  for (const character of characters) {
    const key = keyOf(character);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [character]);
    else group.push(character);
  }
  const of = new Map<number, readonly number[]>();
  for (const group of groups.values())
    if (group.length > 1) for (const character of group) of.set(character, group);
  return { of, sorted: [...of.keys()].toSorted((a, b) => a - b) };
}

/** The members of a sorted list within a range. */
function casedWithin(sorted: readonly number[], from: number, to: number): readonly number[] {
  if (from === to) return [from];
  return sorted.slice(countBelow(sorted, from), countBelow(sorted, to + 1));
}

/** How many members of a sorted list are below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
