/** References of parks, summits, islands and bunkers in the comment of a spot. */

/** Forms that no other text has, with the hyphen or without it: `DLFF-0123`, `dlff0123`. */
const FORMS: readonly (readonly [program: string, form: RegExp])[] = [
  ["WWFF", /^([A-Z0-9]{1,3}FF)-?([0-9]{4})$/],
  ["SOTA", /^([A-Z0-9]{1,4}\/[A-Z]{2})-?([0-9]{3})$/],
  ["IOTA", /^((?:AF|AN|AS|EU|NA|OC|SA))-([0-9]{3})$/],
  ["WWBOTA", /^(B\/[A-Z0-9]{1,4})-([0-9]{4})$/],
  ["POTA", /^(US|K)-([0-9]{4,5})$/],
];
/** Forms of many things, such as transceivers (IC-7300): beside the name of their program alone. */
const NAMED_FORMS: readonly (readonly [program: string, form: RegExp])[] = [
  ["IOTA", /^(AF|AN|AS|EU|NA|OC|SA)([0-9]{3})$/],
  ["POTA", /^([A-Z0-9]{0,3}[A-Z])-?([0-9]{4,5})$/],
  ["POTA", /^([A-Z0-9]{1,4})-([0-9]{4,5})$/],
];

const MAX_REFERENCES = 10;

/** @returns Program and reference, as `POTA US-1234`; each once. */
export function findReferences(comment: string): string[] {
  if (!/[A-Z]-?[0-9]{3}/i.test(comment)) return [];
  const words = comment.toUpperCase().split(/[^A-Z0-9/-]+/, 100);
  const forms = [...FORMS, ...NAMED_FORMS.filter(([program]) => words.includes(program))];
  const found = new Set<string>();
  for (const word of words)
    for (const [program, form] of forms) {
      const [, area, number] = form.exec(word) ?? [];
      if (area === undefined) continue;
      found.add(`${program} ${area}-${number}`);
      break;
    }
  return [...found].slice(0, MAX_REFERENCES);
}
