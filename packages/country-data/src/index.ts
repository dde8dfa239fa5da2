/**
 * AD1C's country file as data: the prefixes and calls of each DXCC or WAE entity, with their zones.
 *
 * MIT license, (c) Jim Reisert AD1C, https://www.country-files.com.
 *
 * @module @hamkit/country-data
 */
import * as embedded from "./embedded.js";

/**
 * One entity: main prefix, name, ADIF entity code, continent, CQ zone, ITU zone, latitude (north positive), longitude
 * (east positive), and 1 if it is only on the WAE list (the code is then that of the DXCC entity that contains it).
 */
export type EntityRow = readonly [
  prefix: string,
  name: string,
  adif: number,
  continent: string,
  cqz: number,
  ituz: number,
  latitude: number,
  longitude: number,
  wae: 0 | 1,
];

/** Prefixes and complete calls, separated by blanks, that share an entity and both zones. */
export type GroupRow = readonly [entity: number, cqz: number, ituz: number, prefixes: string, calls: string];

/** Prefixes, separated by blanks, that share an entity and both zones. */
export type PrefixRow = readonly [entity: number, cqz: number, ituz: number, prefixes: string];

interface CountryDataHead {
  /** Version of this layout. */
  readonly format: 1;
  /** The release of the country file: `VERyyyymmdd`. */
  readonly release: string;
  /** Its date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly credit: string;
  readonly source: string;
  readonly entities: readonly EntityRow[];
}

/** The country file in the layout of `country-file.json`. */
export interface CountryData extends CountryDataHead {
  /** The first column is an index into `entities`. */
  readonly groups: readonly GroupRow[];
}

/** The country file in the layout that loads fastest. */
export interface PackedCountryData extends CountryDataHead {
  /** The first column is an index into `entities`. */
  readonly groups: readonly PrefixRow[];
  /** All complete calls sorted by character code, separated by blanks. */
  readonly calls: string;
  /** The index into `groups` of the n-th call in `calls`, from 0. */
  readonly ownerOf: (place: number) => number;
}

/**
 * The embedded country file. Each call returns a new object.
 *
 * @example
 * readCountryData().entities.find(([prefix]) => prefix === "DL")?.[1]; // => "Fed. Rep. of Germany"
 */
export function readCountryData(): CountryData {
  const { groups, calls, ownerOf, ...head } = readPackedCountryData();
  const callsOf = groups.map((): string[] => []);
  for (const [place, call] of calls.split(" ").entries()) callsOf[ownerOf(place)]?.push(call);
  return {
    ...head,
    groups: groups.map(([entity, cqz, ituz, prefixes], group): GroupRow => {
      return [entity, cqz, ituz, prefixes, callsOf[group]?.join(" ") ?? ""];
    }),
  };
}

/**
 * The embedded country file with all its calls in one sorted text, for tables that search in it; takes about 1 ms.
 *
 * @example
 * const { calls, ownerOf, groups, entities } = readPackedCountryData();
 * const place = calls.split(" ").indexOf("4U1VIC");
 * const name = entities[groups[ownerOf(place)]?.[0] ?? 0]?.[1]; // => "Vienna Intl Ctr"
 */
export function readPackedCountryData(): PackedCountryData {
  const { head, calls, owners } = embedded;
  return {
    ...(JSON.parse(head) as Omit<PackedCountryData, "calls" | "ownerOf">),
    calls,
    ownerOf: (place) => Number.parseInt(owners.slice(2 * place, 2 * place + 2), 36),
  };
}
