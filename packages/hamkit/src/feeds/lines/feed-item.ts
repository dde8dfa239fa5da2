/** The types of what feeds send, one for each `kind`. */

/** Programs whose activators are spotted: parks, summits, and parks of the flora and fauna program. */
export type ActivatorProgram = "POTA" | "SOTA" | "WWFF";

/** A pair of values of the two stations of a spot; one that is not known is absent. */
export interface StationPair<Value> {
  readonly dx?: Value;
  readonly spotter?: Value;
}

/** A spot: a station was heard on a frequency. Members that the line doesn't have are absent. */
export interface SpotItem {
  readonly kind: "spot";
  /** The moment of the spot. A `DX de` line has no date: the day nearest to `now` is assumed. */
  readonly at: Date;
  /** As written: `"1429"` (UTC) in lines, an ISO 8601 date in the spots of activators. */
  readonly time: string;
  /** `"2026-03-14"`, in lines that have a date. */
  readonly date?: string;
  /** The spotted call, in upper case. */
  readonly dx: string;
  /** The spotter in upper case, with an SSID, without `-#`; SOTA's can be no call, such as `SMS`. */
  readonly spotter?: string;
  /** The spotter is a program that decodes signals: its call ended in `-#` or `-@`, or the comment is a skimmer's. */
  readonly skimmer?: true;
  /** As written. */
  readonly frequencyKHz: number;
  /** The frequency is surely not in the unit of the line: below 100 kHz it is in MHz. */
  readonly suspect?: "MHz";
  /** In upper case, such as `CW`, `FT8`, `USB`; `null` where an activator's spot has none. */
  readonly mode?: string | null;
  readonly comment: string;
  /** Signal-to-noise ratio in dB. */
  readonly snrDb?: number;
  /** Speed of Morse code in words per minute. */
  readonly wpm?: number;
  /** Speed of RTTY and PSK in bits per second. */
  readonly bps?: number;
  /** What a skimmer heard: `CQ`, `DX` (in a QSO), `DE`, `BEACON`, `NCDXF B`. */
  readonly spotType?: string;
  /** Number of skimmers that heard it, 9 for more, where a node sums them up. */
  readonly quality?: number;
  /** CQ zones of the skimmers; or the zones in the columns of a node, CQ or ITU, which look the same. */
  readonly zones?: readonly number[] | StationPair<number>;
  /** Two letters: states of the USA, provinces of Canada. */
  readonly states?: StationPair<string>;
  /** The locator that the spotted station sent, in spots of skimmers, or that of an activator. */
  readonly grid?: string;
  readonly dxGrid?: string;
  readonly spotterGrid?: string;
  /** The two locators of a VHF spot, as in `IO91<TR>JO22`: the spotter's, and that of the station. */
  readonly grids?: readonly string[];
  /** The kind of propagation between them, as ADIF's `PROP_MODE`: `TR`, `ES`, `MS`, `EME`. */
  readonly propagation?: string;
  /** The frequency on which the station listens; absent if it is not known. */
  readonly qsxKHz?: number;
  /** The station listens above or below its frequency; it is not known where. Absent with `qsxKHz`. */
  readonly listens?: "up" | "down";
  /** Program and reference in the comment: `POTA US-1234`, `IOTA EU-005`. */
  readonly references?: readonly string[];
  /** The frame of the protocol between nodes: `PC11`. */
  readonly frame?: string;
  /** The node where the spot was entered. */
  readonly node?: string;
  /** The spotter's address. */
  readonly ip?: string;
  /** Nodes that the frame may still pass. */
  readonly hops?: number;
  /** Zones and entities as a node's tables have them. */
  readonly dxItu?: number;
  readonly dxCq?: number;
  readonly spotterItu?: number;
  readonly spotterCq?: number;
  readonly dxEntity?: string;
  readonly spotterEntity?: string;
  /** The program of an activator; the members below are present with it only. */
  readonly program?: ActivatorProgram;
  /** The service's number of the spot. */
  readonly id?: number;
  /** The reference of the park or summit: `US-6653`, `EA1/AT-208`, `KFF-2482`. */
  readonly reference?: string;
  /** The name of the park or summit. */
  readonly name?: string;
  /** State or province: `US-MI`. */
  readonly location?: string;
  /** Latitude and longitude in degrees, north and east positive. */
  readonly position?: readonly [latitude: number, longitude: number];
  readonly altitudeM?: number;
  /** Points of the summit. */
  readonly points?: number;
  /** The comment, or the type of the spot, ends the activation. */
  readonly qrt?: true;
  /** The service marks the spot as a test. */
  readonly test?: true;
  /** The service marks the spot as invalid. */
  readonly invalid?: true;
}

/** A reception report of PSK Reporter. Members are `null` where the report has a value that can't be one. */
export interface ReportItem {
  readonly kind: "report";
  /** When it was received. */
  readonly at: Date;
  /** The same in ISO 8601. */
  readonly time: string;
  /** When it was transmitted. */
  readonly txTime?: string;
  /** The service's number of the report. */
  readonly sequence?: number;
  readonly frequencyHz: number;
  readonly mode: string;
  readonly snrDb?: number;
  /** The call that was heard; `null` for a hash without a name, `<...>`. */
  readonly sender: string | null;
  /** In upper case, 4 to 10 characters; `null` for text that is no locator, such as RR73. */
  readonly senderGrid?: string | null;
  /** The receiver; not always a call. */
  readonly receiver: string | null;
  readonly receiverGrid?: string | null;
  /** ADIF's codes of the entities. */
  readonly senderDxcc?: number;
  readonly receiverDxcc?: number;
  readonly senderEntity?: string;
  readonly receiverEntity?: string;
  readonly band?: string;
}

/** A report of solar activity from the station WWV. */
export interface WwvItem {
  readonly kind: "wwv";
  readonly at: Date;
  readonly from: string;
  /** The hour (UTC), 0 to 23. */
  readonly hour: number;
  /** Solar flux at 10.7 cm. */
  readonly sfi: number;
  readonly a: number;
  readonly k: number;
  readonly text: string;
  readonly frame?: string;
  readonly date?: string;
  readonly node?: string;
}

/** A report of solar activity from the beacon DK0WCY. */
export interface WcyItem {
  readonly kind: "wcy";
  readonly at: Date;
  readonly from: string;
  /** The hour (UTC), 0 to 23. */
  readonly hour: number;
  readonly sfi: number;
  readonly a: number;
  readonly k: number;
  readonly expK: number;
  /** Number of sunspots. */
  readonly r: number;
  /** Solar activity, as written: `qui`, `eru`, `act`, `maj`... */
  readonly sa: string;
  /** The geomagnetic field, as written: `qui`, `act`, `min`, `maj`, `sev`... */
  readonly gmf: string;
  readonly aurora: string;
  readonly frame?: string;
  readonly date?: string;
  readonly node?: string;
}

/** An announcement to all or to a group, or a message to one user. */
export interface MessageItem {
  readonly kind: "announcement" | "talk";
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly frame?: string;
  readonly node?: string;
}

/** A line of WSJT-X's file ALL.TXT. */
export interface DecodeItem {
  readonly kind: "decode";
  readonly at: Date;
  readonly time: string;
  readonly dialMHz?: number;
  /** Received or transmitted. */
  readonly direction: "rx" | "tx";
  readonly mode: string;
  /** In dB. */
  readonly snr: number;
  /** Seconds. */
  readonly dt: number;
  /** Audio frequency in Hz. */
  readonly df: number;
  readonly message: string;
}

/** A frame of the protocol between nodes that carries none of the above. */
export interface OtherItem {
  readonly kind: "other";
  readonly frame: string;
}

/** Anything else: prompts, greetings, damaged lines, noise. */
export interface UnknownItem {
  readonly kind: "unknown";
}

/** What a feed sent, discriminated by `kind`. */
export type FeedItem =
  | SpotItem
  | ReportItem
  | WwvItem
  | WcyItem
  | MessageItem
  | DecodeItem
  | OtherItem
  | UnknownItem;
