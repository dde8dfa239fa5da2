/** Providers among others: what they are called in the languages of a browser, and the search by name, domain and id. */
import type { ListedEntity } from "./protocols/protocol-type.js";

/** The languages of the browser, the best first, without regions. */
export function languagesIn(header: string): string[] {
  return header
    .slice(0, 500)
    .split(",")
    .map((part) => ({
      language: (part.split(";")[0] ?? "").trim().toLowerCase().split("-")[0] ?? "",
      weight: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1),
    }))
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ language }) => language);
}

export function nameOf({ id, names }: ListedEntity, languages: readonly string[]): string {
  const language = [...languages, "en"].find((each) => Object.hasOwn(names, each));
  return (language === undefined ? Object.values(names)[0] : names[language]) ?? id;
}

/** The order of names. For thousands, `localeCompare` takes 40 times as long. */
export const { compare: compareNames } = new Intl.Collator("en", { numeric: true });

/** Without case and accents. */
const folded = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();

/** Whether an entity has all words of a search in its names, scopes or id. */
export function searchFor(search: string): (entity: ListedEntity) => boolean {
  const words = folded(search).split(/\s+/);
  return ({ id, names, scopes }) => {
    const text = folded([id, ...Object.values(names), ...scopes].join(" "));
    return words.every((word) => text.includes(word));
  };
}
