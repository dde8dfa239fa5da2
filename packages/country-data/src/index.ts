/**
 * AD1C's country file as data: which prefixes and calls belong to which DXCC or WAE entity, with their zones.
 *
 * MIT license, (c) Jim Reisert AD1C, https://www.country-files.com.
 */
import { embedded } from "./embedded.js";

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

export interface CountryData {
  /** Of this layout. */
  readonly format: 1;
  /** The release of the country file: `VERyyyymmdd`. */
  readonly release: string;
  /** Its date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly credit: string;
  readonly source: string;
  readonly entities: readonly EntityRow[];
  /** The first column is an index into `entities`. */
  readonly groups: readonly GroupRow[];
}

/**
 * The embedded country file, parsed anew at each call: about 10 ms, and nobody shares the result.
 *
 * @example
 * readCountryData().entities.find(([prefix]) => prefix === "DL")?.[1]; // => "Fed. Rep. of Germany"
 */
export function readCountryData(): CountryData {
  return JSON.parse(embedded) as CountryData;
}
