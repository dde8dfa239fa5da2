/**
 * Characters of names: which ones are refused because a reader can't see them, and which scripts a name mixes.
 *
 * A name that shows like another one is a way to be taken for somebody else. Assigned characters are those of the Unicode
 * version that Node.js has been built with.
 *
 * @see https://www.unicode.org/reports/tr39/ Unicode Technical Standard 39, "Unicode Security Mechanisms"
 */

/** What is refused, the first that applies: a pattern, and the words for a character that it finds. */
const REFUSED = [
  { pattern: /\p{Cc}/u, words: "control character" },
  { pattern: /\p{Bidi_Control}/u, words: "bidirectional control character" },
  { pattern: /\p{Cf}/u, words: "format character" },
  { pattern: /[\p{Zl}\p{Zp}]/u, words: "line separator" },
  { pattern: /\p{Cs}/u, words: "unpaired surrogate" },
  { pattern: /\p{Co}/u, words: "private-use character" },
  { pattern: /\p{Cn}/u, words: "unassigned character" },
  // Fillers and variation selectors, which are letters and marks by category.
  { pattern: /\p{Default_Ignorable_Code_Point}/u, words: "invisible character" },
] as const;

const ANY_REFUSED = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Why a text can't be a name, in words that follow its field's name; `undefined` if it can.
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
 * A name as it is stored: in Unicode's normalization form C, without white space around it. White space within it stays.
 *
 * @example
 * normalizeName(" Zoe\u0308  Smith "); // => "Zoë  Smith"
 */
export function normalizeName(text: string): string {
  return toNfc(text).trim();
}

/** A text in normalization form C, for comparisons in which canonically equivalent texts are one. */
export function toNfc(text: string): string {
  // Nothing below U+0300 changes, and nearly every name is below it.
  return /[\u0300-\uFFFF]/.test(text) ? text.normalize("NFC") : text;
}

/** UAX 31, table 5 (recommended scripts), and those of other characters as one. */
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

/** Scripts that are written together: UTS 39, section 5.1 (augmented script sets), and with Latin as in "highly restrictive". */
const TOGETHER = [
  ["Han", "Hiragana", "Katakana", "Latin"],
  ["Han", "Hangul", "Latin"],
  ["Han", "Bopomofo", "Latin"],
];

/**
 * The scripts that a name mixes, where it is beyond the restriction level "highly restrictive" of UTS 39; else none.
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

/** More than one for what several scripts have in common, such as the marks of Indic scripts. */
function scriptsOf(character: string): readonly string[] {
  const names = SCRIPTS.filter(({ pattern }) => pattern.test(character)).map(({ name }) => name);
  return names.length > 0 ? names : ["other"];
}
