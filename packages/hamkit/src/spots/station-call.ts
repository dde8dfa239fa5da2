/** Callsigns as cluster lines have them: any case, with an SSID, with the mark of a skimmer. */

/**
 * Characters of a call, for patterns. Its form is not checked: `identify` tells whether it is one.
 *
 * Longer than any real call, and bounded, so that a pattern takes no longer for a hostile line.
 */
export const CALL = "[A-Z0-9/](?:[A-Z0-9/-]{0,23})";

/** A call in upper case, and whether a skimmer uses it. */
export interface StationCall {
  readonly call: string;
  readonly skimmer: boolean;
}

/** The call in a field of its own, or `undefined` where there is something else. */
export function readStation(field: string): StationCall | undefined {
  // Nodes append -# to the call of a skimmer, -@ to that of a user of a web page.
  const skimmer = field.endsWith("-#");
  const call = skimmer || field.endsWith("-@") ? field.slice(0, -2) : field;
  const letters = lettersOf(call);
  if (letters === "none") return undefined;
  return { call: letters === "lower" ? call.toUpperCase() : call, skimmer };
}

const LONGEST = 24;
const HYPHEN = 45;

/** Whether the text is what {@link CALL} matches, and if there are letters to raise in it. As a loop twice as fast. */
function lettersOf(text: string): "none" | "lower" | "upper" {
  const { length } = text;
  if (length === 0 || length > LONGEST || text.charCodeAt(0) === HYPHEN) return "none";
  let letters: "lower" | "upper" = "upper";
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) letters = "lower";
    else if (!(code >= 65 && code <= 90) && !(code >= 47 && code <= 57) && code !== HYPHEN) return "none";
  }
  return letters;
}
