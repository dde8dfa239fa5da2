/** Limits the nesting of JSON: recursion over 20,000 levels, which are 20 KB of brackets, overflows the stack. */

/** Levels of objects and lists. */
export const MAX_JSON_DEPTH = 100;

/** Whether JSON text nests deeper. Brackets within strings don't count: closing ones there could hide opening ones. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') isInString = !isInString;
    else if (isInString) {
      if (character === "\\") index++;
    } else if (character === "{" || character === "[") {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}
