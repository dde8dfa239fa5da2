/** The form of a contest's rules: data that anyone can add to. */

/** Modes of Cabrillo that contests tell apart; FM is PH. */
export type ContestMode = "CW" | "PH" | "RY" | "DG";

/** Where something counts once: in the contest, on each band, in each mode, on each band in each mode. */
export type CountedPer = "contest" | "band" | "mode" | "band-mode";

/** The rules of a contest. */
export interface ContestRule {
  /** `CQ-WW`. */
  readonly id: string;
  readonly name: string;
  readonly sponsor: string;
  /** Values of Cabrillo's CONTEST, and of ADIF's CONTEST_ID, in upper case. */
  readonly contests: readonly string[];
  /** What of the rule was compared with its sponsor's text. */
  readonly checked: ContestCheck;
  /** What a user has to know of the score. */
  readonly notes?: readonly string[];
  /** Bands that count, by ADIF's names. */
  readonly bands: readonly string[];
  readonly modes: readonly ContestMode[];
  /** From the first to the last contact at most. */
  readonly durationHours?: number;
  /** Properties of this contest, by name. A name that all contests have is replaced. */
  readonly properties?: Readonly<Record<string, ContestProperty>>;
  /** What a station sends: the first entry whose conditions its sender meets. */
  readonly exchange: readonly ContestExchange[];
  /** Where a station counts once. */
  readonly qsoPer: CountedPer;
  /** The points of a contact: the first entry whose conditions it meets; none is 0. */
  readonly points: readonly ContestPoints[];
  /** Of each property, the first entry whose conditions a contact meets. */
  readonly multipliers: readonly ContestMultiplier[];
  /** Points times multipliers (the default; without entries in `multipliers`, the points), or their sum. */
  readonly total?: "product" | "sum";
  /** Points of QTCs: the first entry whose conditions one meets. */
  readonly qtcs?: readonly ContestQtcs[];
  /** Factors of the total, by the header of the log: `{ "header": { "CATEGORY-POWER": ["QRP"] }, "by": 5 }`. */
  readonly factors?: readonly ContestFactor[];
}

/** What of a rule was compared with its sponsor's text. */
export interface ContestCheck {
  /** The text that the rule was compared with; absent where none was found. */
  readonly against?: string;
  /** What could not be compared, or is not settled by it. */
  readonly open: readonly string[];
}

/**
 * A property of a station: a word of its exchange that is one of `values`, or matches `pattern` as a whole; a part of another
 * property (the first group of `part`); another property divided by call areas; or whether the call is in a list that the
 * caller has (`YES`, or nothing).
 */
export type ContestProperty =
  | { readonly values: readonly string[] }
  | { readonly pattern: string }
  | { readonly of: string; readonly part: string }
  | { readonly of: "dxcc_entity" | "cq_country"; readonly callAreas: readonly string[] }
  | { readonly list: string };

/**
 * What a property has to be: one of these values, where `same` and `other` compare with the other station; none of `not`; a
 * number in a range; known or not. An unknown value is none of any list.
 */
export type ContestCondition =
  | readonly string[]
  | {
      readonly not?: readonly string[];
      readonly min?: number;
      readonly max?: number;
      readonly known?: boolean;
    };

/** Conditions by property. */
export type StationConditions = Readonly<Record<string, ContestCondition>>;

/** All of these have to be met. */
export interface ContestConditions {
  /** Of the own station. */
  readonly my?: StationConditions;
  /** Of the other station. */
  readonly their?: StationConditions;
  readonly bands?: readonly string[];
  readonly modes?: readonly ContestMode[];
}

/** What stations send, and which stations. */
export interface ContestExchange {
  /** Of the station that sends. */
  readonly from?: StationConditions;
  /** Of the station that receives. */
  readonly to?: StationConditions;
  /** Word by word: the properties that it may be, in this order. */
  readonly fields: readonly (readonly string[])[];
}

/** Points of contacts that meet conditions. */
export interface ContestPoints extends ContestConditions {
  /** A number, or one point per so many kilometers, rounded down, and `plus`. */
  readonly points: number | { readonly perKm: number; readonly plus: number };
}

/** Multipliers of contacts that meet conditions. */
export interface ContestMultiplier extends ContestConditions {
  readonly property: string;
  readonly per: CountedPer;
  /** 1 when left out; 0 for what does not count. */
  readonly value?: number;
  /** Values that don't count. */
  readonly except?: readonly string[];
}

/** Points of each QTC. */
export interface ContestQtcs extends ContestConditions {
  readonly direction: "sent" | "received";
  readonly points: number;
}

/** A factor of logs whose header has one of these values for each tag. */
export interface ContestFactor {
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly by: number;
}
