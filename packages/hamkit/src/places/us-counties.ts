/** The counties of the United States, as in the ADIF field CNTY. */
import { ArgumentTypeError, KeyError } from "../errors.js";
import { COUNTY_NAMES } from "./generated/county-names.js";

/** A county, or what a state has instead: a parish, borough, census area or independent city. */
export interface UsCounty {
  /** The value of CNTY: `TX,Travis`. */
  readonly code: string;
  /** Two letters: `TX`. */
  readonly state: string;
  /** The name in logs: `Saint Clair`, `De Kalb`. */
  readonly name: string;
  /** The name of the census bureau: `St. Clair`, `DeKalb`. */
  readonly officialName: string;
}

/** The longest name has 40 characters. */
const MAX_LENGTH = 100;

/** By state; built with its first lookup. */
const tables = /* @__PURE__ */ new Map<string, ReadonlyMap<string, UsCounty>>();

/**
 * The counties of a state, in the order of their names.
 *
 * The list has 3146 of the 50 states: counties, parishes, boroughs and independent cities, also some that no longer exist, such as
 * Clifton Forge City. The award USA-CA counts 3077, because it joins independent cities with a county, and counts the judicial
 * districts of Alaska, which ADIF lists (`Secondary_Administrative_Subdivision`).
 *
 * @param state Two letters in any case.
 * @throws {KeyError} The text is not the code of one of the 50 states.
 * @throws {ArgumentTypeError} It is not a string; a `TypeError`.
 * @example
 * countiesOf("DE").map(({ name }) => name); // => ["Kent", "New Castle", "Sussex"]
 */
export function countiesOf(state: string): readonly UsCounty[] {
  if (typeof state !== "string")
    throw new ArgumentTypeError({ argument: "state", value: state, expected: "the code of a state" });
  const table = tableOf(state.toUpperCase());
  if (table === undefined)
    throw new KeyError(
      state,
      `state: ${JSON.stringify(state.slice(0, 40))} is not the code of a state with counties`,
    );
  return [...new Set(table.values())];
}

/**
 * The county of a value of CNTY; `undefined` if the state or the county is not known.
 *
 * Tolerates case, accents, spaces, `St.` for `Saint`, and the word `County` or `Parish` at the end.
 *
 * @param value State and county, separated by a comma.
 * @throws {ArgumentTypeError} It is not a string; a `TypeError`.
 * @example
 * findCounty("al, St. Clair County")?.code; // => "AL,Saint Clair"
 * findCounty("TX,Kent")?.code; // => "TX,Kent"
 * findCounty("TX,Sussex"); // => undefined
 */
export function findCounty(value: string): UsCounty | undefined {
  if (typeof value !== "string")
    throw new ArgumentTypeError({ argument: "value", value, expected: "a state and a county as a string" });
  const [, state = "", name = ""] =
    value.length > MAX_LENGTH ? [] : (/^\s*([a-z]{2})\s*,(.*)$/i.exec(value) ?? []);
  return tableOf(state.toUpperCase())?.get(keyOf(name));
}

/** The counties of a state by `keyOf` their name; official names lead to the same. */
function tableOf(state: string): ReadonlyMap<string, UsCounty> | undefined {
  const known = tables.get(state);
  if (known !== undefined || !Object.hasOwn(COUNTY_NAMES, state)) return known;
  const counties = (COUNTY_NAMES[state] ?? "").split("|").map((text): UsCounty => {
    const [name = "", officialName = name] = text.split("=");
    return { code: `${state},${name}`, state, name, officialName };
  });
  const table = new Map([
    ...counties.map((one) => [keyOf(one.name), one] as const),
    ...counties.map((one) => [keyOf(one.officialName), one] as const),
  ]);
  tables.set(state, table);
  return table;
}

/** What spellings of a name have in common. */
function keyOf(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z]+/g, " ")
    .trim()
    .replace(/ (?:county|parish|borough|census area|municipality)$/, "")
    .replace(/^(st|ste) /, (_, short: string) => (short === "st" ? "saint " : "sainte "))
    .replaceAll(" ", "");
}
