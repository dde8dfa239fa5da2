/** Finds the ADIF entity codes for country files without them: cty.dat, and property lists from before 2015. */

/** The name and prefix that identify an entity. */
export interface EntityName {
  readonly country: string;
  readonly mainPrefix: string | undefined;
}

/** The code of an entity; `undefined` where it is not known. */
export type EntityCodes = (entity: EntityName) => number | undefined;

/** Former names in country files, and names of deleted entities. */
const FORMER_NAMES: ReadonlyMap<string, number> = new Map([
  ["Auckland & Campbell Is.", 16],
  ["Juan de Nova, Europa", 124],
  ["Kingman Reef", 134],
  ["Kosovo", 522],
  ["Macedonia", 502],
  ["Shetland and Fair Isle", 279],
  ["Swaziland", 468],
]);

export interface KnownEntity {
  readonly prefix: string;
  readonly name: string;
  readonly adif: number;
}

/**
 * Finds codes by name, then by main prefix. A name that ends in a blank is truncated before its ampersand, as in the files
 * of 2014 ("Turks " for Turks & Caicos Islands).
 */
export function createEntityCodes(known: readonly KnownEntity[]): EntityCodes {
  const named = [...FORMER_NAMES, ...known.map(({ name, adif }) => [name, adif] as const)];
  const cut = named.flatMap(([name, adif]) =>
    name.includes("&") ? [[name.split("&", 1)[0] ?? name, adif] as const] : [],
  );
  const byName = new Map([...cut, ...named]);
  const byPrefix = new Map(known.map(({ prefix, adif }) => [prefix, adif]));
  return ({ country, mainPrefix }) =>
    byName.get(country) ?? (mainPrefix === undefined ? undefined : byPrefix.get(mainPrefix));
}
