/**
 * An upper bound of the attempts that a regular expression makes on a word, by the ways in which its parts can match.
 *
 * Engines try alternatives and lengths in turn: repetitions in a repetition, or many of them in a row, take longer than anyone waits.
 */

/** The words on which patterns are tried are not longer. */
export const MAX_WORD = 40;

/**
 * The number of ways in which the parts of a pattern can be combined, `Infinity` where repetitions are nested.
 *
 * @param pattern One that `RegExp` accepts.
 */
export function patternCost(pattern: string): number {
  let index = 0;

  function alternatives(): number {
    let sum = 0;
    let branch = 1;
    while (index < pattern.length && pattern[index] !== ")") {
      if (pattern[index] !== "|") branch *= term();
      else {
        sum += branch;
        branch = 1;
        index++;
      }
    }
    return sum + branch;
  }

  /** An atom with its quantifier. */
  function term(): number {
    const cost = atom();
    const [quantifier = "", least = "0", comma = "", most = ""] =
      /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(pattern.slice(index, index + MAX_QUANTIFIER)) ?? [];
    index += quantifier.length;
    if (quantifier === "") return cost;
    if (quantifier.startsWith("?")) return cost + 1;
    const isExact = quantifier.startsWith("{") && comma === "";
    if (isExact) return cost ** Math.min(Number(least), MAX_WORD);
    // Each repetition multiplies the ways of what is repeated.
    if (cost > 1) return Infinity;
    const upTo = quantifier.startsWith("{") && most !== "" ? Number(most) : Infinity;
    return Math.min(upTo - Number(least), MAX_WORD) + 1;
  }

  function atom(): number {
    const character = pattern[index++];
    if (character === "\\") {
      index += /^(?:[pPu]\{[^}]*\}|k<[^>]*>|.)/su.exec(pattern.slice(index))?.[0].length ?? 1;
      return 1;
    }
    if (character === "[") {
      while (index < pattern.length && pattern[index] !== "]") index += pattern[index] === "\\" ? 2 : 1;
      index++;
      return 1;
    }
    if (character !== "(") return 1;
    index += /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(pattern.slice(index))?.[0].length ?? 0;
    const cost = alternatives();
    index++;
    return cost;
  }

  return alternatives();
}

/** `{40,1000000}` and longer ones are none. */
const MAX_QUANTIFIER = 20;
