/**
 * The two kinds of source that answer for a callsign.
 *
 * A table is searched here, so it answers at once; a service (a server, a shared store) answers for itself, later.
 */
import type { CallsignRecord, EntityRecord } from "./record.js";

/** A moment as the tables compare it: milliseconds since 1970 in UTC. */
export type Moment = number;

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
  entity(adif: number): EntityRecord | undefined;
  /** Operations that don't count for DXCC; not there where the format has no such section. */
  isInvalidOperation?(call: string, at: Moment): boolean;
  /** The CQ zone that holds for this call in spite of its prefix; not there where the format has no such section. */
  zoneException?(call: string, at: Moment): number | undefined;
}

/** A source that is asked elsewhere. What it doesn't offer it doesn't have. */
export interface ServiceSource {
  readonly kind: "service";
  readonly name: string;
  /** All that is known of a callsign at that moment. */
  identify(callsign: string, at: Moment): Promise<Identification>;
  exact?(call: string, at: Moment): Promise<CallsignRecord | undefined>;
  prefix?(prefix: string, at: Moment): Promise<CallsignRecord | undefined>;
  entity?(adif: number): Promise<EntityRecord | undefined>;
  isInvalidOperation?(call: string, at: Moment): Promise<boolean>;
  zoneException?(call: string, at: Moment): Promise<number | undefined>;
}

export type LookupSource = TableSource | ServiceSource;

/** A callsign that was recognized. */
export interface IdentifiedCallsign {
  readonly kind: "identified";
  readonly record: CallsignRecord;
  /** An entry for this very call, the longest prefix, or a suffix that takes the station out of every country. */
  readonly matchedBy: "callsign" | "prefix" | "suffix";
  /** The call, prefix or suffix that matched. */
  readonly match: string;
}

/** What can be said of a callsign: two ways of nothing, one of something. */
export type Identification =
  | IdentifiedCallsign
  /** The call was used for an operation that doesn't count for DXCC. */
  | { readonly kind: "invalid-operation" }
  /** No callsign, or no entry for it at that time. */
  | { readonly kind: "unknown" };
