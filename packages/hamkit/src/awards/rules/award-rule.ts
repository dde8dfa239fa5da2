/** The form of an award's rules: data that anyone can add to. */

/** What an award counts. */
export type AwardUnitKind =
  /** DXCC entities, by code. */
  | "entity"
  /** The 50 states of the USA, by abbreviation. */
  | "state"
  /** CQ zones. */
  | "cqz"
  /** ITU zones. */
  | "ituz"
  /** Continents, by abbreviation. */
  | "continent"
  /** Squares: locators of 4 characters. */
  | "grid"
  /** Prefixes by the rules of WPX. */
  | "prefix"
  /** References of island groups, parks, summits and reserves. */
  | "iota"
  | "pota"
  | "sota"
  | "wwff"
  /** Counties of the USA, as `MA,FRANKLIN`. */
  | "county"
  /** Countries of the WAE list: entity codes, and the codes of ADIF's enumeration Region. */
  | "wae"
  /** The value of a field, in upper case. */
  | "field";

/** How a contact can be confirmed. */
export type ConfirmationSource = "card" | "lotw" | "eqsl" | "eqslAg" | "clublog" | "qrz" | "dcl";

/** Contacts that don't count: through a repeater, over the Internet, with another band on reception, with ships and aircraft. */
export type AwardExclusion = "repeater" | "internet" | "crossBand" | "maritime" | "aeronautical";

/** What makes contacts equal for an award that counts contacts. For summits, CALL is the station's own call: G4ABC of G4ABC/P. */
export type DupeField = "CALL" | "BAND" | "MODE" | "DAY";

/** What of a rule was compared with its sponsor's text. */
export interface AwardCheck {
  /** The text that the rule was compared with; absent where none was found. */
  readonly against?: string;
  /** What could not be compared, or is not settled by it. */
  readonly open: readonly string[];
}

/** One count of an award: of a mode, of a band. */
export interface AwardFacet {
  /** Follows the rule's id: `mixed` of `was.mixed`; "" for the award itself. */
  readonly key: string;
  /** One count for each of these bands: the key gets the band's name behind it. */
  readonly eachBand?: readonly string[];
  /** Contacts on these bands only. */
  readonly bands?: readonly string[];
  readonly excludedBands?: readonly string[];
  /** `phone`, `cw`, `data`, `image`, `digital` (data and image), or modes of ADIF. */
  readonly modes?: readonly string[];
  readonly exceptModes?: readonly string[];
  /** Contacts through satellites. */
  readonly satellite?: boolean;
  /** Contacts by this propagation mode of ADIF. */
  readonly propagation?: "EME";
  /** Contacts with these continents only. */
  readonly continents?: readonly string[];
  /** Contacts with at most this power, by TX_PWR in watts. 5 only. */
  readonly maxPowerW?: 5;
  /** First day, `YYYY-MM-DD`. */
  readonly from?: string;
  /** Instead of the rule's. */
  readonly confirm?: readonly ConfirmationSource[];
  /** Deleted entities count too. */
  readonly deleted?: boolean;
  /** Counts a unit once on each band, or in each mode of `modes`. */
  readonly slots?: "band" | "mode";
  /** With `slots`: the most that one unit counts. */
  readonly maxPerUnit?: number;
  /** Numbers of units for which the sponsor issues something, ascending. */
  readonly levels?: readonly number[];
  /** Credits in CREDIT_SUBMITTED and CREDIT_GRANTED that belong to it. */
  readonly credits?: readonly string[];
}

/** A class of an award that needs several counts. */
export interface AwardClass {
  readonly name: string;
  /** Confirmed units by the key of the facet, with its band if it has several: `band.20m`. */
  readonly needs: Readonly<Record<string, number>>;
  /** One of these in addition. */
  readonly oneOf?: Readonly<Record<string, number>>;
}

/** The rules of an award. */
export interface AwardRule {
  /** Begins the keys of its counts: `was` of `was.mixed`. */
  readonly id: string;
  readonly name: string;
  readonly sponsor: string;
  readonly checked: AwardCheck;
  /** What a user has to know of the count. */
  readonly notes?: readonly string[];
  readonly unit: AwardUnitKind;
  /** For `field`: the first of these fields that has a value. */
  readonly fields?: readonly string[];
  /** For `field`: what separates several units in a value. */
  readonly split?: string;
  /** The unit is that of the own station: its park, its summit. */
  readonly own?: boolean;
  /** All units. A list or a range restricts what counts; without it, any unit counts and none is known to be missing. */
  readonly units?: readonly string[] | UnitRange | "current-entities" | "wae-countries";
  /** The number of units, where it is known and the list is not. */
  readonly unitCount?: number;
  /** Units that count as another: DC as MD. */
  readonly map?: Readonly<Record<string, string>>;
  /** Only contacts whose fields have one of these values. */
  readonly where?: Readonly<Record<string, readonly string[]>>;
  /** Distinct units (the default); distinct contacts by `dupe`; or activations of at least `min` contacts. */
  readonly counting?: "units" | "contacts" | "activations";
  readonly dupe?: readonly DupeField[];
  /** Of an activation, within a UTC day or over all time. */
  readonly min?: number;
  readonly minOver?: "DAY" | "EVER";
  /** A place scores once in this period. */
  readonly scoresOncePer?: "YEAR";
  /** First day, `YYYY-MM-DD`. */
  readonly from?: string;
  readonly fromByUnit?: Readonly<Record<string, string>>;
  readonly excludes: readonly AwardExclusion[];
  readonly excludedBands?: readonly string[];
  /** Contacts through satellites count for facets with `satellite` only, together with all others, or not at all. */
  readonly satellites: "separate" | "together" | "none";
  readonly confirm: readonly ConfirmationSource[];
  /** All contacts have to be made from one entity. */
  readonly ownStation?: "entity";
  readonly facets: readonly AwardFacet[];
  readonly classes?: readonly AwardClass[];
}

/** Numbers from one to another, inclusive. */
export interface UnitRange {
  readonly from: number;
  readonly to: number;
  readonly also?: readonly number[];
}
