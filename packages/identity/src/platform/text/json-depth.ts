/**
 * How deeply JSON may be nested. What nests deeper than any client needs is more than the stack holds where it is walked or
 * written again: 20,000 brackets are 20 KB.
 */

/** Objects and lists within each other. */
export const MAX_JSON_DEPTH = 100;

/** Whether a text of JSON nests deeper. Brackets within strings don't count: they could make up for others. */
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
