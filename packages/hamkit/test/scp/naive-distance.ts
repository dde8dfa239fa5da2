/**
 * The Damerau-Levenshtein distance by its definition: the least number of changes that lead from one text to the other,
 * looked for in all directions. For short texts only.
 */
export function naiveDistance(from: string, to: string, most: number): number {
  const alphabet = [...new Set(from + to)];
  let reached = new Set([from]);
  for (let changes = 0; changes <= most; changes++) {
    if (reached.has(to)) return changes;
    reached = new Set([...reached].flatMap((text) => changedOnce(text, alphabet)));
  }
  return most + 1;
}

/** Every text that one change makes. */
function changedOnce(text: string, alphabet: readonly string[]): string[] {
  const texts: string[] = [];
  for (let place = 0; place <= text.length; place++) {
    const before = text.slice(0, place);
    const [next = "", second = ""] = text.slice(place);
    for (const letter of alphabet)
      texts.push(before + letter + text.slice(place), before + letter + text.slice(place + 1));
    if (next !== "") texts.push(before + text.slice(place + 1));
    if (second !== "") texts.push(before + second + next + text.slice(place + 2));
  }
  return texts;
}
