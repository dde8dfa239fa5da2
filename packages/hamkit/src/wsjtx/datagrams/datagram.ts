/**
 * The datagrams of WSJT-X, JTDX and MSHV, as objects.
 *
 * Members are those of the protocol in its order. Texts may be `null` in any datagram: senders write a null text for a value
 * that was never set. Members that older senders leave out at the end are optional.
 */

/** What all datagrams of a known type have. */
interface DatagramHeader {
  /** The version of the encoding: 2 or 3. Both encode these types alike. */
  readonly schema: number;
  /** The number of the type, from 0 to 16. */
  readonly type: number;
  /** The instance of the program: `WSJT-X`, `WSJT-X - rigname`, `JTDX`, `MSHV`. */
  readonly id: string | null;
  /** Names of the members that the datagram ended before; absent if there are none. */
  readonly absentFields?: readonly string[];
  /** The number of bytes after the known members, of a later version of the protocol; absent if there are none. */
  readonly extraBytes?: number;
}

/** Sent every 15 seconds in both directions: an instance is alive, and which schema it understands. */
export interface Heartbeat extends DatagramHeader {
  readonly kind: "heartbeat";
  /** The highest schema that the sender understands; 2 if it is absent. */
  readonly maxSchema?: number;
  readonly version?: string | null;
  readonly revision?: string | null;
}

/** The state of an instance, sent when it changes. */
export interface Status extends DatagramHeader {
  readonly kind: "status";
  /** In Hz, from 0 to 2^53 - 1. */
  readonly dialFrequencyHz: number;
  /** The mode's name: `FT8`. */
  readonly mode: string | null;
  readonly dxCall: string | null;
  readonly report: string | null;
  readonly txMode: string | null;
  readonly txEnabled: boolean;
  readonly transmitting: boolean;
  readonly decoding: boolean;
  /** The audio frequency of reception in Hz; JTDX can send a negative one. */
  readonly rxDf: number;
  /** The audio frequency of transmission in Hz; JTDX can send a negative one. */
  readonly txDf: number;
  readonly deCall: string | null;
  readonly deGrid: string | null;
  readonly dxGrid: string | null;
  readonly txWatchdog?: boolean;
  readonly subMode?: string | null;
  readonly fastMode?: boolean;
  /**
   * 0 none, 1 NA VHF, 2 EU VHF, 3 Field Day, 4 RTTY Roundup, 5 WW Digi, 6 Fox, 7 Hound, 8 ARRL Digi, 9 Q65 Pileup. Absent
   * from JTDX.
   */
  readonly specialOperation?: number;
  /** In Hz; `null` where the mode has none. */
  readonly frequencyTolerance?: number | null;
  /** Length of a transmit and receive period in seconds; `null` where the mode has none. */
  readonly trPeriod?: number | null;
  readonly configurationName?: string | null;
  readonly txMessage?: string | null;
  /** Whether the instance transmits in the first period: only from JTDX, whose status ends with it. */
  readonly txFirst?: boolean;
}

/** A decoded signal. */
export interface Decode extends DatagramHeader {
  readonly kind: "decode";
  /** Whether it was decoded now; `false` in the answer to a replay. */
  readonly new: boolean;
  /** The start of the period in milliseconds since midnight UTC; 4294967295 if the sender has none. */
  readonly timeMs: number;
  /** Signal to noise ratio in dB, in 2500 Hz. */
  readonly snr: number;
  /** The offset from the start of the period in seconds; `null` if it is not a number. */
  readonly deltaTime: number | null;
  /** The audio frequency in Hz. */
  readonly deltaFrequencyHz: number;
  /** The mode's character: `~` FT8, `+` FT4, `` ` `` FST4, `$` JT4, `@` JT9, `#` JT65, `:` Q65, `&` MSK144. */
  readonly mode: string | null;
  /** The text as it was decoded, with what the program adds at its end: see `parseMessage`. */
  readonly message: string | null;
  readonly lowConfidence?: boolean;
  /** Whether it was decoded from a recording. */
  readonly offAir?: boolean;
}

/** The window of decodes was cleared, or is to be cleared. */
export interface Clear extends DatagramHeader {
  readonly kind: "clear";
  /** Only to an instance: 0 band activity, 1 RX frequency, 2 both. */
  readonly window?: number;
}

/** Has an instance answer a decode, as a double click would: the members are those of the decode, unchanged. */
export interface Reply extends DatagramHeader {
  readonly kind: "reply";
  readonly timeMs: number;
  readonly snr: number;
  readonly deltaTime: number | null;
  readonly deltaFrequencyHz: number;
  readonly mode: string | null;
  readonly message: string | null;
  readonly lowConfidence?: boolean;
  /** The sum of the held keys: 2 shift, 4 control, 8 alt, 16 meta, 32 keypad, 64 group switch. */
  readonly modifiers?: number;
}

/** A date and time, as the sender wrote it. */
export interface WsjtxDateTime {
  /** With `Z` in UTC; without for the other kinds, whose clock it shows. */
  readonly iso: string;
  readonly timespec: "utc" | "local" | "offset" | "zone";
  /** Seconds east of UTC, with `offset` only. */
  readonly offsetSeconds?: number;
  /** The name of the time zone, with `zone` only: `Europe/Berlin`. */
  readonly zone?: string | null;
}

/** A contact was logged. */
export interface QsoLogged extends DatagramHeader {
  readonly kind: "qsoLogged";
  readonly timeOff: WsjtxDateTime | null;
  readonly dxCall: string | null;
  readonly dxGrid: string | null;
  readonly txFrequencyHz: number;
  readonly mode: string | null;
  readonly reportSent: string | null;
  readonly reportReceived: string | null;
  /** As the operator typed it: `100W`. */
  readonly txPower: string | null;
  readonly comments: string | null;
  readonly name: string | null;
  readonly timeOn?: WsjtxDateTime | null;
  readonly operatorCall?: string | null;
  readonly myCall?: string | null;
  readonly myGrid?: string | null;
  readonly exchangeSent?: string | null;
  readonly exchangeReceived?: string | null;
  readonly propagationMode?: string | null;
  readonly satellite?: string | null;
  readonly satelliteMode?: string | null;
  /** As the operator typed it, in MHz: `435.310`. */
  readonly frequencyRx?: string | null;
}

/** An instance ends, or is to end. */
export interface Close extends DatagramHeader {
  readonly kind: "close";
}

/** Has an instance send its decodes again. */
export interface Replay extends DatagramHeader {
  readonly kind: "replay";
}

/** Has an instance stop to transmit. */
export interface HaltTx extends DatagramHeader {
  readonly kind: "haltTx";
  /** `true`: the current transmission ends as usual, and none follows. */
  readonly autoTxOnly: boolean;
}

/** Sets the free text of an instance. */
export interface FreeText extends DatagramHeader {
  readonly kind: "freeText";
  readonly text: string | null;
  /** Whether it is the next message to send. */
  readonly send: boolean;
}

/** A decoded WSPR beacon. */
export interface WsprDecode extends DatagramHeader {
  readonly kind: "wsprDecode";
  readonly new: boolean;
  /** The start of the period in milliseconds since midnight UTC; 4294967295 if the sender has none. */
  readonly timeMs: number;
  /** Signal to noise ratio in dB, in 2500 Hz. */
  readonly snr: number;
  readonly deltaTime: number | null;
  readonly frequencyHz: number;
  readonly driftHz: number;
  /** In angle brackets, if it was sent as a hash: `<PJ4/K1ABC>`. */
  readonly callsign: string | null;
  readonly grid: string | null;
  readonly powerDbm: number;
  readonly offAir?: boolean;
}

/** Sets the own location of an instance until it ends. */
export interface Location extends DatagramHeader {
  readonly kind: "location";
  /** A locator of 4 or 6 characters. */
  readonly location: string | null;
}

/** A contact was logged: the same as `qsoLogged`, as ADIF. */
export interface LoggedAdif extends DatagramHeader {
  readonly kind: "loggedAdif";
  /** A header and one record. */
  readonly adif: string | null;
}

/** A color, each part from 0 to 255. */
export interface WsjtxColor {
  /** 0 transparent, 255 opaque. */
  readonly a: number;
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** Highlights a callsign in the window of decodes. */
export interface HighlightCallsign extends DatagramHeader {
  readonly kind: "highlightCallsign";
  /** `CLEARALL!` removes all highlights. */
  readonly callsign: string | null;
  /** `null` for both colors removes the highlight. */
  readonly background: WsjtxColor | null;
  readonly foreground: WsjtxColor | null;
  /** `true`: only in the last period. */
  readonly highlightLast?: boolean;
}

/** Has an instance use another configuration. */
export interface SwitchConfiguration extends DatagramHeader {
  readonly kind: "switchConfiguration";
  readonly configurationName: string | null;
}

/** Changes settings of an instance: an empty text or `null` changes nothing. */
export interface Configure extends DatagramHeader {
  readonly kind: "configure";
  readonly mode: string | null;
  readonly frequencyTolerance: number | null;
  readonly subMode: string | null;
  readonly fastMode: boolean;
  readonly trPeriod: number | null;
  readonly rxDf: number | null;
  readonly dxCall: string | null;
  readonly dxGrid: string | null;
  readonly generateMessages: boolean;
}

/** Gives a station a place in the order in which a Fox answers. */
export interface AnnotationInfo extends DatagramHeader {
  readonly kind: "annotationInfo";
  readonly dxCall: string | null;
  readonly sortOrderProvided: boolean;
  /** `null` removes it; WSJT-X lowers numbers above 50000 to it. */
  readonly sortOrder: number | null;
}

/** A datagram of a type outside 0 to 16: ignore it. */
export interface UnknownDatagram {
  readonly kind: "unknown";
  readonly schema: number;
  readonly type: number;
  readonly id: string | null;
  /** The number of bytes after the id. */
  readonly bytesLeft: number;
}

/** Not a datagram of this protocol, or a damaged one. */
export interface InvalidDatagram {
  readonly kind: "invalid";
  /**
   * `short`: fewer than 12 bytes. `bad magic`: another protocol. `truncated in X`: the datagram ends within the member X, or
   * before it if no version of the protocol leaves it out. `out of range in X`: the member's value has no meaning. `too long`: the
   * listener got more than 8192 bytes, which no program sends.
   */
  readonly reason: string;
  /** Absent if the datagram ends before it; likewise `type` and `id`. */
  readonly schema?: number;
  readonly type?: number;
  readonly id?: string | null;
}

/** A datagram of a known type. */
export type WsjtxMessage =
  | Heartbeat
  | Status
  | Decode
  | Clear
  | Reply
  | QsoLogged
  | Close
  | Replay
  | HaltTx
  | FreeText
  | WsprDecode
  | Location
  | LoggedAdif
  | HighlightCallsign
  | SwitchConfiguration
  | Configure
  | AnnotationInfo;

/** The result of `decodeDatagram`. */
export type Datagram = WsjtxMessage | UnknownDatagram | InvalidDatagram;

/** A message for `encodeDatagram`: a decoded one, or one without `type`, which follows from `kind`, and `schema`, which is 2 then. */
export type OutgoingMessage<Message = WsjtxMessage> = Message extends WsjtxMessage
  ? Omit<Message, "schema" | "type"> & { readonly schema?: number; readonly type?: number }
  : never;
