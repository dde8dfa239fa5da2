/** How a callsign was identified: the types of `explain`. */
import type { CallsignPart } from "../../callsign/part-roles.js";
import type { Position } from "../../geo/position.js";
import type { Continent, CallsignRecord } from "../record.js";
import type { Identification } from "../source.js";

/** The rule that decided. */
export type DecidingRule =
  /** An entry of the whole callsign. */
  | "exact"
  /** The call's own prefix. */
  | "prefix"
  /** The call's own prefix, or its entry, after suffixes were set aside; or a suffix alone: /MM, /AM. */
  | "suffix"
  /** The prefix before the call: FO/DL1ABC. */
  | "portable prefix"
  /** A prefix with a slash inside, before the call: 3D2/R/DL1ABC. */
  | "three parts"
  /** The prefix behind the call: W1AW/KH6. */
  | "suffix is a prefix"
  /** The digit behind the call: UA9ABC/3. */
  | "call area digit"
  /** The number of letters behind KG4. */
  | "length rule"
  /** The list of operations that don't count for DXCC, or a prefix of no country. */
  | "invalid operation"
  /** The callsign is unknown. */
  | "none";

/** How sure the entity of an identification is. */
export type Certainty =
  /** An entry, or the list of invalid operations, has the callsign, or the call without suffixes that leave it where it is. */
  | "exact-entry"
  /** An entry has the call without a suffix that may be away (TX5K/P): assumed to be at the same place. */
  | "assumed-entry"
  /** By a prefix that belongs to one entity. */
  | "single-entity"
  /** By a prefix that entities share, so that it is a guess. */
  | "shared-prefix"
  /** At sea or in the air, or under a prefix of no country. */
  | "no-entity"
  /** Nothing matched. */
  | "no-entry";

/** The reason why nothing matched. */
export type UnknownReason =
  /** The text is empty, longer than 30 characters, or has other ones than A-Z, 0-9, / and -. */
  | "not-a-callsign-text"
  /** No part has the form of a call, or a part is empty. */
  | "no-call-form"
  /** No entry. */
  | "no-entry"
  /** Entries, but none that is valid at that moment. */
  | "no-entry-then";

/** An entry of a source. */
export interface ExplainedEntry {
  readonly section: "calls" | "prefixes";
  readonly key: string;
  readonly record: CallsignRecord;
  /** The first moment of its period; `undefined` where it is open. */
  readonly start: Date | undefined;
  /** The last second of its period; `undefined` where it is open. */
  readonly end: Date | undefined;
  /** The entry's number in its section of the file; `undefined` where the format has none. */
  readonly id: number | undefined;
}

/** The reason why an entry did not decide. */
export type LostReason =
  /** A longer prefix of the same text counts first. */
  | "shorter-prefix"
  /** Not valid at that moment. */
  | "other-period"
  /** Without a period, while one with a period is valid at that moment. */
  | "undated"
  /** Valid at the same moment as one with a lower number in the file. */
  | "higher-number"
  /** An entry of the whole callsign, or of the station, counts before a prefix. */
  | "entry-first"
  /** Another part of the callsign names the place. */
  | "other-part"
  /** The entry of the call without its suffix, which may be away (/P), and whose prefix belongs to one entity. */
  | "may-be-away"
  /** The operation does not count for DXCC, whatever the entries have. */
  | "invalid-operation";

export interface PassedOverEntry extends ExplainedEntry {
  readonly reason: LostReason;
}

/** A value of the answer that differs from that of the entity's main prefix, and where it comes from. */
export type Override = {
  /** "zone-exception" for the list of zones by callsign that log XML has. */
  readonly by: "entry" | "zone-exception";
} & (
  | { readonly field: "country"; readonly value: string; readonly usual: string }
  | { readonly field: "continent"; readonly value: Continent; readonly usual: Continent }
  | { readonly field: "cqz" | "ituz"; readonly value: number; readonly usual: number }
  | { readonly field: "position"; readonly value: Position; readonly usual: Position }
);

/** A DXCC entity. */
export interface DxccEntityName {
  readonly adif: number;
  /** `undefined` where no loaded source has it. */
  readonly country: string | undefined;
}

/** A prefix that entities share. */
export interface SharedByEntities {
  readonly prefix: string;
  /** Empty for the United Nations (4U), whose stations are in any country. */
  readonly entities: readonly DxccEntityName[];
}

/** A part of an answer that two sources may have differently; `answer` where only one of them identifies the callsign. */
export type ComparedField = "answer" | "entity" | "continent" | "cqz" | "ituz";

/** The answer of another source. */
export interface OtherAnswer {
  readonly source: string;
  /** Date of its data, `YYYY-MM-DD`; `undefined` where it has none. */
  readonly sourceDate: string | undefined;
  readonly answer: Identification<object>;
  /** The fields that differ; none where the sources agree. A field that one of them lacks is not compared. */
  readonly differs: readonly ComparedField[];
  /** The entry that matched; `undefined` where none did, and of a service. */
  readonly entry: ExplainedEntry | undefined;
  /** The entries that did not decide; none of a service. */
  readonly passedOver: readonly PassedOverEntry[];
}

/** A reason to look twice. `explain` shows conflicts and decides none. */
export type Conflict =
  /** Entities share the prefix, and no entry has the call. */
  | { readonly kind: "shared-prefix"; readonly shared: SharedByEntities }
  /** At other times the same call or prefix belongs to another entity. */
  | { readonly kind: "change-with-time"; readonly entries: readonly SourcedEntry[] }
  /** The country of the address in a callbook is not the entity. */
  | { readonly kind: "postal-country"; readonly source: string; readonly postal: string }
  /** Some of the sources identify the callsign, others do not. */
  | { readonly kind: "unknown-to-some"; readonly sources: readonly string[] }
  /** Sources differ. */
  | { readonly kind: "sources-differ"; readonly source: string; readonly differs: readonly ComparedField[] }
  /** A part of the callsign can be read otherwise, which would be another entity. */
  | { readonly kind: "suffix-or-prefix"; readonly readings: readonly PartReading[] }
  /** The country is an entity of the CQ and WAE lists, and belongs to another one for DXCC. */
  | { readonly kind: "not-for-dxcc"; readonly country: string; readonly dxcc: DxccEntityName }
  /** The entity has several CQ zones, and the zone is that of the prefix: the station may be elsewhere. */
  | { readonly kind: "default-zone"; readonly cqz: number; readonly zones: readonly number[] }
  /** The call looks like a prefix, a mode, a locator, or the RR73 that ends a contact. */
  | { readonly kind: "looks-like"; readonly looksLike: "prefix" | "mode" | "locator" | "message" };

/** An entry that a source passed over. */
export interface SourcedEntry extends PassedOverEntry {
  readonly source: string;
}

/** What a part of a callsign would be as a prefix. */
export interface PartReading {
  readonly text: string;
  readonly record: CallsignRecord;
}

/** The reasons of an identification. */
export interface ExplanationDetails {
  /** The text as given. */
  readonly input: string;
  /** The normalized callsign without SSID; `undefined` for a text that cannot be one. */
  readonly callsign: string | undefined;
  /** The moment of the answer. */
  readonly at: Date;
  /** The parts of the callsign; none where it has no form of a call. */
  readonly parts: readonly CallsignPart[];
  /** The parts that were cut off or set aside, such as an SSID, /P or /QRP. */
  readonly setAside: readonly CallsignPart[];
  readonly rule: DecidingRule;
  /** `undefined` unless the callsign is unknown. */
  readonly reason: UnknownReason | undefined;
  /** The name of the source that decided, or of the first one. */
  readonly source: string;
  /** Date of its data, `YYYY-MM-DD`; `undefined` where it has none. */
  readonly sourceDate: string | undefined;
  /** The entry that matched; `undefined` where none did, such as for /MM. */
  readonly entry: ExplainedEntry | undefined;
  /** The text whose longest prefix matched, if it is no part of the callsign: W3 for W1AW/3, VK9N for VK9XNA. */
  readonly searched: string | undefined;
  readonly overrides: readonly Override[];
  readonly passedOver: readonly PassedOverEntry[];
  readonly certainty: Certainty;
  /** The entities that share the prefix of the call, where it decides nothing by itself: also of listed calls. */
  readonly shared: SharedByEntities | undefined;
  readonly others: readonly OtherAnswer[];
  readonly conflicts: readonly Conflict[];
}

/** An identification, with all that `identify` returns, and its reasons. */
export type Explanation = Identification & ExplanationDetails;
