/**
 * AD1C's country file as data: which prefixes and calls belong to which DXCC or WAE entity, with their zones.
 *
 * MIT license, (c) Jim Reisert AD1C, https://www.country-files.com.
 *
 * @module @hamkit/country-data
 */
import * as embedded from "./embedded.js";

/**
 * One entity: main prefix, name, ADIF entity code, continent, CQ zone, ITU zone, latitude (north positive), longitude
 * (east positive), and 1 where only the WAE list has it (the code is then that of the DXCC entity it lies in).
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
  /** Of this layout. */
  readonly format: 1;
  /** The release of the country file: `VERyyyymmdd`. */
  readonly release: string;
  /** Its date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly credit: string;
  readonly source: string;
  readonly entities: readonly EntityRow[];
}

/** The country file, as `country-file.json` has it. */
export interface CountryData extends CountryDataHead {
  /** The first column is an index into `entities`. */
  readonly groups: readonly GroupRow[];
}

/** The country file in the form that loads fastest. */
export interface PackedCountryData extends CountryDataHead {
  /** The first column is an index into `entities`. */
  readonly groups: readonly PrefixRow[];
  /** All complete calls in the order of their characters, separated by blanks. */
  readonly calls: string;
  /** The index into `groups` of the call at this place in `calls`, counted from 0. */
  readonly ownerOf: (place: number) => number;
}

/**
 * The embedded country file, made anew at each call, so that nobody shares the result.
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
 * The embedded country file with all its calls in one text: for tables that search in it, about 1 ms.
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
