/**
 * The two kinds of source of callsign data, and the identifications that they return.
 *
 * A table is searched in memory and answers synchronously; a service (a server, a shared store) answers by itself, later.
 */
import type { CallsignRecord, EntityRecord } from "./record.js";

/** The record of a prefix, and the number of characters of the text that the prefix has. */
export interface PrefixMatch {
  readonly record: CallsignRecord;
  readonly length: number;
}

/** A data set in memory. Its records are frozen. */
export interface TableSource {
  readonly kind: "table";
  /** The origin of the data, for messages: "cty.plist VER20230502". */
  readonly name: string;
  /** Date of the data, as `YYYY-MM-DD`; `undefined` where the data has none. */
  readonly date: string | undefined;
  /** The record of exactly this call that is valid at a moment. */
  exact(call: string, at: Moment): CallsignRecord | undefined;
  /** The record of exactly this prefix that is valid at a moment. */
  prefix(prefix: string, at: Moment): CallsignRecord | undefined;
  /** The longest prefix of a text, of at least `minLength` characters, that is valid at a moment. */
  longestPrefix(text: string, at: Moment, minLength: number): PrefixMatch | undefined;
  /** The record of an entity by its ADIF code. */
  entity(adif: number): EntityRecord | undefined;
  /** Whether an operation doesn't count for DXCC; absent where the format has no such section. */
  isInvalidOperation?(call: string, at: Moment): boolean;
  /** The CQ zone of a call where it differs from that of its prefix; absent where the format has no such section. */
  zoneException?(call: string, at: Moment): number | undefined;
  /** Whether operations from an entity count only with an entry of the whole call (whitelist). */
  needsEntry?(adif: number, at: Moment): boolean;
  /**
   * All entries of one call or prefix, of any period; of those that are valid at a moment the first one counts. `explain` shows
   * periods of tables that have this method.
   */
  entries?(section: "calls" | "prefixes", key: string): readonly TableEntry<CallsignRecord>[];
  /** All entries, to be copied. */
  content(): TableContent;
}

/** The part of a table that identifying a callsign needs. */
export type SearchedTable = Omit<TableSource, "kind" | "date" | "entity" | "entries" | "content">;

/** All entries of a table. */
export interface TableContent {
  readonly calls: Iterable<TableEntry<CallsignRecord>>;
  readonly prefixes: Iterable<TableEntry<CallsignRecord>>;
  readonly entities: Iterable<EntityEntry>;
  /** Absent where the format has no such section. */
  readonly invalidOperations?: Iterable<TableEntry<true>>;
  /** CQ zones; absent where the format has no such section. */
  readonly zoneExceptions?: Iterable<TableEntry<number>>;
}

/** An entry of a call or prefix, with the period in which it is valid. */
export interface TableEntry<Value> extends Period {
  readonly key: string;
  readonly value: Value;
  /** The entry's number in its section of the file, where the format has one. */
  readonly id?: number | undefined;
}

/** An entity, with the period in which it is on the DXCC list. */
export interface EntityEntry extends Period {
  readonly adif: number;
  readonly record: EntityRecord;
  /** The period in which operations count only with an entry of the whole call; absent: never. */
  readonly whitelist?: Period | undefined;
}

/** A callsign and the moment to answer for. */
export interface Query {
  readonly callsign: string;
  readonly at: Moment;
}

/** A source that answers by itself. It lacks the methods that it does not offer. */
export interface ServiceSource<Found extends object = CallsignRecord, Entity extends object = EntityRecord> {
  readonly kind: "service";
  /** For messages. */
  readonly name: string;
  /** The identification of a callsign at a moment. */
  identify(callsign: string, at: Moment): Promise<Identification<Found>> | Identification<Found>;
  /** The identifications of many callsigns, in their order; for sources with batch requests. */
  identifyMany?(queries: readonly Query[]): Promise<Identification<Found>[]>;
  /** The record of exactly this call. */
  exact?(call: string, at: Moment): Promise<Found | undefined>;
  /** The record of exactly this prefix. */
  prefix?(prefix: string, at: Moment): Promise<CallsignRecord | undefined>;
  /** The record of an entity by its ADIF code. */
  entity?(adif: number): Promise<Entity | undefined>;
  /** Whether an operation under this call at that moment doesn't count for DXCC. */
  isInvalidOperation?(call: string, at: Moment): Promise<boolean>;
  /** The CQ zone of a call where it differs from that of its prefix. */
  zoneException?(call: string, at: Moment): Promise<number | undefined>;
}

/** A source of either kind. */
export type LookupSource<Found extends object = CallsignRecord, Entity extends object = EntityRecord> =
  | TableSource
  | ServiceSource<Found, Entity>;

/** An identified callsign. */
export interface IdentifiedCallsign<Found extends object = CallsignRecord> {
  readonly kind: "identified";
  readonly record: Found;
  /**
   * An entry of the whole call, the longest prefix, or a suffix of a station that is in no country (/MM, /AM); "service" for a
   * service that does not report it.
   */
  readonly matchedBy: "callsign" | "prefix" | "suffix" | "service";
  /** The call, prefix or suffix that matched. */
  readonly match: string;
  /** The name of the source. */
  readonly source: string;
  /**
   * The entity has a whitelist: at that time only operations with an entry of the whole call counted for DXCC, and this call has
   * none. Log XML has such entities.
   */
  readonly needsEntry?: true;
  /**
   * The entry is that of the call without its suffixes, such as TX5K for TX5K/P, under a prefix that several entities share. The
   * station is assumed to be where the entry has it; the prefix alone would say less.
   */
  readonly assumed?: true;
}

/** The result of identifying a callsign. */
export type Identification<Found extends object = CallsignRecord> =
  | IdentifiedCallsign<Found>
  /** The operation under this call doesn't count for DXCC. */
  | { readonly kind: "invalid-operation" }
  /** Not a callsign, or without an entry at that time. */
  | { readonly kind: "unknown" };

/** Milliseconds since 1970 in UTC. */
export type Moment = number;

/** A period of whole seconds that includes its first and its last one. An absent end is open. */
export interface Period {
  readonly start?: Moment | undefined;
  readonly end?: Moment | undefined;
}

/** The period without ends. */
export const ALWAYS: Period = Object.freeze({});

const SECOND_MS = 1000;

/** Whether a period includes a moment. */
export function includes({ start, end }: Period, at: Moment): boolean {
  return (start === undefined || at >= start) && (end === undefined || at < end + SECOND_MS);
}
