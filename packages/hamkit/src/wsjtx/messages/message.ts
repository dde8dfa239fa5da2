/** The meaning of message texts, as objects. */

/** A member that names a station. */
export type StationMember = "to" | "de" | "rr73To" | "reportTo";

interface MessageStart {
  /**
   * The type of the transmitted 77 bits, where the text shows it: `0.0` free text, `0.1` Fox, `0.2` the former EU VHF, `0.3` and
   * `0.4` Field Day, `0.5` telemetry, `1` standard, `2` with /P, `3` RTTY Roundup, `4` a call that is not standard, `5` EU VHF;
   * `superfox`.
   */
  readonly type?: string;
  /** The members whose call was in angle brackets, so sent as a hash; absent without any. A short hash can be a wrong call. */
  readonly hashed?: readonly StationMember[];
  /** What the program added to the text: `lowConfidence`, `ap1` (decoded with prior knowledge), `q3`, `f2`; absent without any. */
  readonly flags?: readonly string[];
  /** The text has another reading, or can't have been sent this way: don't log or spot by it. */
  readonly ambiguous?: true;
}

interface Directed extends MessageStart {
  /** The call of the addressee; absent for a hash that wasn't resolved (`<...>`). */
  readonly to?: string;
  /** The call of the sender; absent for a hash that wasn't resolved. */
  readonly de?: string;
}

/** A call to all: `CQ`, `DE` (`cq-like`) or `QRZ`. */
export interface CqMessage extends MessageStart {
  readonly kind: "cq" | "cq-like" | "qrz";
  readonly de?: string;
  readonly grid?: string;
  /** The word or the three digits after CQ: a direction, an activity, or the kHz to answer on. */
  readonly cq?: string;
}

/** Both calls, and a locator or nothing. */
export interface CallMessage extends Directed {
  readonly kind: "call" | "grid" | "rogerGrid";
  readonly grid?: string;
  /** The contests that exchange a locator with a roger. */
  readonly contest?: string;
}

/** A signal report, with or without a roger. */
export interface ReportMessage extends Directed {
  readonly kind: "report" | "rogerReport";
  /** In dB. */
  readonly report: number;
}

/** The end of a contact. */
export interface EndMessage extends Directed {
  readonly kind: "rrr" | "rr73" | "73";
}

/** A Fox ends one contact and sends the report of another. */
export interface FoxMessage extends MessageStart {
  readonly kind: "foxReport";
  readonly de?: string;
  readonly rr73To?: string;
  readonly reportTo?: string;
  /** In dB. */
  readonly report: number;
}

/** The end of a contact, and a CQ. */
export interface Rr73CqMessage extends Directed {
  readonly kind: "rr73Cq";
  readonly grid?: string;
}

/** The exchange of ARRL Field Day or Winter Field Day. */
export interface FieldDayMessage extends Directed {
  readonly kind: "fieldDay";
  readonly roger: boolean;
  readonly exchange: { readonly transmitters: number; readonly class: string; readonly section: string };
}

/** The exchange of the RTTY Roundup: a state or province, or a serial number. */
export interface RttyRoundupMessage extends Directed {
  readonly kind: "rttyRoundup";
  /** Begins with `TU;`, the thanks for the contact before. */
  readonly tu?: true;
  readonly roger: boolean;
  readonly exchange:
    | { readonly rst: string; readonly state: string }
    | { readonly rst: string; readonly serial: number };
}

/** The exchange of EU VHF contests. */
export interface EuVhfMessage extends Directed {
  readonly kind: "euVhf";
  readonly roger: boolean;
  readonly exchange: { readonly rs: string; readonly serial: number; readonly grid: string };
}

/** A beacon, in the modes WSPR and FST4W only. */
export interface WsprMessage extends MessageStart {
  readonly kind: "wspr";
  readonly de?: string;
  readonly grid?: string;
  readonly powerDbm: number;
}

/** Up to 71 bits in hexadecimal digits, without leading zeros. */
export interface TelemetryMessage extends MessageStart {
  readonly kind: "telemetry";
  readonly payload: string;
}

/** SuperFox: whether the sender is authentic. */
export interface VerificationMessage extends MessageStart {
  readonly kind: "verification";
  readonly de: string;
}

/** A text for the operator. */
export interface FreeTextMessage extends MessageStart {
  readonly kind: "freeText";
}

/** A text that more than one rule could read: the members are those of the likeliest reading. */
export interface AmbiguousMessage extends Directed {
  readonly kind: "call?" | "unknown?";
  readonly ambiguous: true;
  readonly grid?: string;
}

/** The result of `parseMessage`. */
export type ParsedMessage =
  | CqMessage
  | CallMessage
  | ReportMessage
  | EndMessage
  | FoxMessage
  | Rr73CqMessage
  | FieldDayMessage
  | RttyRoundupMessage
  | EuVhfMessage
  | WsprMessage
  | TelemetryMessage
  | VerificationMessage
  | FreeTextMessage
  | AmbiguousMessage;
