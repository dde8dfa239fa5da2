/**
 * Characters of names: rejects invisible ones, and finds mixed scripts.
 *
 * A name that looks like another one enables impersonation. Assigned characters are those of Node.js's Unicode version.
 *
 * @see https://www.unicode.org/reports/tr39/ Unicode Technical Standard 39, "Unicode Security Mechanisms"
 */

/** Rejected characters; the first matching pattern names the character. */
const REFUSED = [
  { pattern: /\p{Cc}/u, words: "control character" },
  { pattern: /\p{Bidi_Control}/u, words: "bidirectional control character" },
  { pattern: /\p{Cf}/u, words: "format character" },
  { pattern: /[\p{Zl}\p{Zp}]/u, words: "line separator" },
  { pattern: /\p{Cs}/u, words: "unpaired surrogate" },
  { pattern: /\p{Co}/u, words: "private-use character" },
  { pattern: /\p{Cn}/u, words: "unassigned character" },
  // Fillers and variation selectors: letters and marks by category.
  { pattern: /\p{Default_Ignorable_Code_Point}/u, words: "invisible character" },
] as const;

const ANY_REFUSED = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Why a text is not a valid name, as a phrase behind the field's name; `undefined` if valid.
 *
 * @example
 * nameFault("Zoë Smith"); // => undefined
 * nameFault("kim\u202E"); // => "contains the bidirectional control character U+202E"
 */
export function nameFault(text: string): string | undefined {
  const character = ANY_REFUSED.exec(text)?.[0];
  if (character === undefined) return undefined;
  const words = REFUSED.find(({ pattern }) => pattern.test(character))?.words ?? "invisible character";
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `contains the ${words} U+${number}`;
}

/**
 * Normalizes a name for storage: Unicode normalization form C, trimmed. Inner white space is kept.
 *
 * @example
 * normalizeName(" Zoe\u0308  Smith "); // => "Zoë  Smith"
 */
export function normalizeName(text: string): string {
  return toNfc(text).trim();
}

/** Normalization form C, so that canonically equivalent texts compare equal. */
export function toNfc(text: string): string {
  // Fast path: characters below U+0300 don't change.
  return /[\u0300-\uFFFF]/.test(text) ? text.normalize("NFC") : text;
}

/** UAX 31, table 5: recommended scripts. */
const SCRIPTS = [
  "Arabic",
  "Armenian",
  "Bengali",
  "Bopomofo",
  "Cyrillic",
  "Devanagari",
  "Ethiopic",
  "Georgian",
  "Greek",
  "Gujarati",
  "Gurmukhi",
  "Han",
  "Hangul",
  "Hebrew",
  "Hiragana",
  "Kannada",
  "Katakana",
  "Khmer",
  "Lao",
  "Latin",
  "Malayalam",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Tamil",
  "Telugu",
  "Thaana",
  "Thai",
  "Tibetan",
].map((name) => ({ name, pattern: new RegExp(String.raw`\p{Script_Extensions=${name}}`, "u") }));

const OF_EVERY_SCRIPT = /[\p{Script_Extensions=Common}\p{Script_Extensions=Inherited}]/u;

/** Scripts used together: UTS 39, section 5.1 (augmented script sets), with Latin as in "highly restrictive". */
const TOGETHER = [
  ["Han", "Hiragana", "Katakana", "Latin"],
  ["Han", "Hangul", "Latin"],
  ["Han", "Bopomofo", "Latin"],
];

/**
 * The scripts that a name mixes beyond the restriction level "highly restrictive" of UTS 39; empty if within it.
 *
 * @example
 * mixedScripts("\u0430dmin"); // => ["Cyrillic", "Latin"]
 * mixedScripts("田中 Taro"); // => []
 */
export function mixedScripts(name: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\u02AF]*$/.test(name)) return [];
  const sets: (readonly string[])[] = [];
  for (const character of new Set(name))
    if (!OF_EVERY_SCRIPT.test(character)) sets.push(scriptsOf(character));
  const found = [...new Set(sets.flat())].toSorted();
  const areOne = (scripts: readonly string[]) =>
    sets.every((set) => set.some((script) => scripts.includes(script)));
  return found.some((script) => areOne([script])) || TOGETHER.some(areOne) || sets.length === 0 ? [] : found;
}

/** Several for characters shared by scripts, such as the marks of Indic scripts. */
function scriptsOf(character: string): readonly string[] {
  const names = SCRIPTS.filter(({ pattern }) => pattern.test(character)).map(({ name }) => name);
  return names.length > 0 ? names : ["other"];
}
