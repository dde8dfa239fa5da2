/** Parses the callsigns of cluster lines: any case, with an SSID, with the skimmer suffix. */

/**
 * Pattern of a call's characters. The form of a call is not validated here, but by `identify`.
 *
 * Longer than any real call, and bounded, so that matching a hostile line stays linear.
 */
export const CALL = "[A-Z0-9/](?:[A-Z0-9/-]{0,23})";

/** A call in upper case, and whether it is that of a skimmer. */
export interface StationCall {
  readonly call: string;
  readonly skimmer: boolean;
}

/** The call in a field; `undefined` if the field is not a call. */
export function readStation(field: string): StationCall | undefined {
  // Nodes append -# to the call of a skimmer, and some -@ in spots that they make of the data of skimmers.
  const skimmer = field.endsWith("-#") || field.endsWith("-@");
  const call = skimmer ? field.slice(0, -2) : field;
  const letters = lettersOf(call);
  if (letters === "none") return undefined;
  return { call: letters === "lower" ? call.toUpperCase() : call, skimmer };
}

const MAX_CALL_LENGTH = 24;
const HYPHEN = 45;

/** Whether the text matches {@link CALL}, and whether it has lower-case letters. A loop is twice as fast as a pattern. */
function lettersOf(text: string): "none" | "lower" | "upper" {
  const { length } = text;
  if (length === 0 || length > MAX_CALL_LENGTH || text.charCodeAt(0) === HYPHEN) return "none";
  let letters: "lower" | "upper" = "upper";
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) letters = "lower";
    else if (!(code >= 65 && code <= 90) && !(code >= 47 && code <= 57) && code !== HYPHEN) return "none";
  }
  return letters;
}
