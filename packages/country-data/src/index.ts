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

interface PackedHead extends CountryDataHead {
  readonly groups: readonly (readonly [entity: number, cqz: number, ituz: number])[];
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
 * The embedded country file with all its calls in one sorted text, for tables that search in it; takes 2 ms.
 *
 * @example
 * const { calls, ownerOf, groups, entities } = readPackedCountryData();
 * const place = calls.split(" ").indexOf("4U1VIC");
 * const name = entities[groups[ownerOf(place)]?.[0] ?? 0]?.[1]; // => "Vienna Intl Ctr"
 */
export function readPackedCountryData(): PackedCountryData {
  const { head, calls, owners, prefixes, prefixOwners } = embedded;
  const { groups, ...facts } = JSON.parse(head) as PackedHead;
  const prefixesOf = groups.map((): string[] => []);
  for (const [place, prefix] of withSharedStarts(prefixes).split(" ").entries())
    prefixesOf[ownerAt(prefixOwners, place)]?.push(prefix);
  return {
    ...facts,
    groups: groups.map(([entity, cqz, ituz], group) => [
      entity,
      cqz,
      ituz,
      prefixesOf[group]?.join(" ") ?? "",
    ]),
    calls: withSharedStarts(calls),
    ownerOf: (place) => ownerAt(owners, place),
  };
}

function ownerAt(owners: string, place: number): number {
  return Number.parseInt(owners.slice(2 * place, 2 * place + 2), 36);
}

const LETTER_A = 97;
const BLANK = 32;

/** No word is longer, and none takes less than two characters of the text. */
const MAX_LENGTH = 15;

/**
 * Words separated by blanks. In the text a small letter says how many characters of the last word the next one begins with (a: 0),
 * and is followed by the others. Copied byte by byte, which is four times as fast as joining strings.
 */
function withSharedStarts(text: string): string {
  const bytes = new Uint8Array((text.length / 2) * (MAX_LENGTH + 1));
  let size = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < LETTER_A) {
      bytes[size++] = code;
      continue;
    }
    if (size > 0) bytes[size++] = BLANK;
    const start = size;
    for (let shared = code - LETTER_A; shared > 0; shared--) bytes[size++] = bytes[last++] ?? BLANK;
    last = start;
  }
  return new TextDecoder().decode(bytes.subarray(0, size));
}
