/**
 * The two kinds of source that answer for a callsign.
 *
 * A table is searched here, so it answers at once; a service (a server, a shared store) answers for itself, later.
 */
import type { Moment, Period } from "./period.js";
import type { CallsignRecord, EntityRecord } from "./record.js";

export type { Moment, Period } from "./period.js";

/** A prefix that was found, and how many characters of the text it covers. */
export interface PrefixMatch {
  readonly record: CallsignRecord;
  readonly length: number;
}

/** A data set in memory. Records it hands out are frozen. */
export interface TableSource {
  readonly kind: "table";
  /** What it was made from, for messages: "cty.plist VER20230502". */
  readonly name: string;
  /** Date of the data, as `YYYY-MM-DD`; `undefined` where the data doesn't tell. */
  readonly date: string | undefined;
  /** The record of exactly this call, if one holds at that moment. */
  exact(call: string, at: Moment): CallsignRecord | undefined;
  /** The record of exactly this prefix, if one holds at that moment. */
  prefix(prefix: string, at: Moment): CallsignRecord | undefined;
  /** The longest prefix of the text, of `shortest` characters or more, that holds at that moment. */
  longestPrefix(text: string, at: Moment, shortest: number): PrefixMatch | undefined;
  /** The record of an entity by its ADIF code. */
  entity(adif: number): EntityRecord | undefined;
  /** Operations that don't count for DXCC; not there where the format has no such section. */
  isInvalidOperation?(call: string, at: Moment): boolean;
  /** The CQ zone that holds for this call in spite of its prefix; not there where the format has no such section. */
  zoneException?(call: string, at: Moment): number | undefined;
  /** Whether operations from this entity count at that moment only where they have an entry for the whole call. */
  needsEntry?(adif: number, at: Moment): boolean;
  /** All that the table has, to be copied. */
  content(): TableContent;
}

/** What `identify` needs of a table. */
export type SearchedTable = Omit<TableSource, "kind" | "date" | "entity" | "content">;

/** All that a table has. */
export interface TableContent {
  readonly calls: Iterable<TableEntry<CallsignRecord>>;
  readonly prefixes: Iterable<TableEntry<CallsignRecord>>;
  readonly entities: Iterable<EntityEntry>;
  /** There where the format has such sections. */
  readonly invalidOperations?: Iterable<TableEntry<true>>;
  /** CQ zones. */
  readonly zoneExceptions?: Iterable<TableEntry<number>>;
}

/** One entry of a table: what it says of a call or prefix, and when. */
export interface TableEntry<Value> extends Period {
  readonly key: string;
  readonly value: Value;
  /** The entry's number in its section of the file, where the format has one. */
  readonly id?: number | undefined;
}

/** An entity with the time when it is, or was, on the DXCC list. */
export interface EntityEntry extends Period {
  readonly adif: number;
  readonly record: EntityRecord;
  /** When operations count only where they have an entry for the whole call; left out: never. */
  readonly whitelist?: Period | undefined;
}

/** A callsign and the moment for which it is asked. */
export interface Query {
  readonly callsign: string;
  readonly at: Moment;
}

/** A source that is asked elsewhere. What it doesn't offer it doesn't have. */
export interface ServiceSource<Found extends object = CallsignRecord, Entity extends object = EntityRecord> {
  readonly kind: "service";
  /** What it is called in messages. */
  readonly name: string;
  /** All that is known of a callsign at that moment. */
  identify(callsign: string, at: Moment): Promise<Identification<Found>> | Identification<Found>;
  /** The answers to many questions, in their order; for sources that take them together. */
  identifyMany?(queries: readonly Query[]): Promise<Identification<Found>[]>;
  /** The record of exactly this call. */
  exact?(call: string, at: Moment): Promise<Found | undefined>;
  /** The record of exactly this prefix. */
  prefix?(prefix: string, at: Moment): Promise<CallsignRecord | undefined>;
  /** The record of an entity by its ADIF code. */
  entity?(adif: number): Promise<Entity | undefined>;
  /** Whether an operation under this call did not count for DXCC at that moment. */
  isInvalidOperation?(call: string, at: Moment): Promise<boolean>;
  /** The CQ zone that holds for this call in spite of its prefix. */
  zoneException?(call: string, at: Moment): Promise<number | undefined>;
}

/** Where answers come from, of either kind: `kind` tells. */
export type LookupSource<Found extends object = CallsignRecord, Entity extends object = EntityRecord> =
  TableSource | ServiceSource<Found, Entity>;

/** A callsign that was recognized. */
export interface IdentifiedCallsign<Found extends object = CallsignRecord> {
  readonly kind: "identified";
  readonly record: Found;
  /**
   * An entry for this very call, the longest prefix, or a suffix that takes the station out of every country; or a
   * service that doesn't tell.
   */
  readonly matchedBy: "callsign" | "prefix" | "suffix" | "service";
  /** The call, prefix or suffix that matched. */
  readonly match: string;
  /** The name of the source that answered. */
  readonly source: string;
  /**
   * From this entity only operations with an entry of their own counted for DXCC at that time, and this call has none. Log
   * XML has such entities.
   */
  readonly needsEntry?: true;
}

/** What can be said of a callsign: two ways of nothing, one of something. */
export type Identification<Found extends object = CallsignRecord> =
  | IdentifiedCallsign<Found>
  /** The call was used for an operation that doesn't count for DXCC. */
  | { readonly kind: "invalid-operation" }
  /** No callsign, or no entry for it at that time. */
  | { readonly kind: "unknown" };
