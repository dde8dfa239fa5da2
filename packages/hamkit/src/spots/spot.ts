/** The types of decoded DX cluster lines. */

/** Modes that are recognized in a comment, in ADIF's spelling, plus the sidebands of SSB. */
export type SpotMode =
  | ("CW" | "SSB" | "USB" | "LSB" | "AM" | "FM" | "RTTY" | "SSTV" | "DMR" | "C4FM" | "OLIVIA" | "MFSK")
  | ("FT8" | "FT4" | "JS8" | "Q65" | "MSK144" | "JT65" | "JT9" | "JT4" | "FST4" | "FST4W" | "WSPR")
  | ("PSK" | "PSK31" | "PSK63" | "PSK125");

/** Details from the comment; each is present only if the comment contains it. */
export interface SpotDetails {
  /** The first mode that the comment names. */
  readonly mode?: SpotMode;
  /** Signal-to-noise ratio in dB, as skimmers and digital modes report it; not the decibels of a report (`59+20dB`). */
  readonly snr?: number;
  /** Speed of Morse code in words per minute. */
  readonly wpm?: number;
  /** The frequency in kHz on which the station listens: `QSX 14210`, `UP 5`, `2 DN`; of a range (`UP 5-10`) the nearer end. */
  readonly qsx?: number;
  /** The station listens above or below its frequency, but the comment does not say where: `UP`, `DN`. Absent with `qsx`. */
  readonly listens?: "up" | "down";
  /** The kind of propagation of a VHF spot (`JO31<ES>JN75`), as ADIF's `PROP_MODE`: `TR`, `ES`, `MS`, `EME`. */
  readonly propagation?: string;
}

/** What a node adds about the two stations: in columns before and after the time, and in CC11 lines. */
export interface SpotColumns {
  /** The spotted station's locator of 4 or 6 characters (`set/dxgrid`, or in the comment of a VHF spot). */
  readonly dxLocator?: string;
  /** The spotter's locator. */
  readonly locator?: string;
  /** Two letters: a state of the USA or a province of Canada (`set/usstate`). */
  readonly dxState?: string;
  readonly spotterState?: string;
  /** A CQ or an ITU zone: `set/dxcq` and `set/dxitu` look the same. */
  readonly dxZone?: number;
  readonly spotterZone?: number;
  /** In CC11 only, as the node's tables have them. */
  readonly dxItuz?: number;
  readonly dxCqz?: number;
  readonly spotterItuz?: number;
  readonly spotterCqz?: number;
  /** The entity's name as the node writes it: `Netherlands-PA`. */
  readonly dxEntity?: string;
  readonly spotterEntity?: string;
}

/** A spot: a user or a skimmer heard a station. */
export interface Spot extends SpotDetails, SpotColumns {
  readonly kind: "spot";
  /** The format of the line: `DX de ...`, a result of `show/dx`, CC11, or a frame of the protocol between nodes. */
  readonly format: "dx" | "show" | "cc11" | "pc11" | "pc26" | "pc61";
  /** The spotter's call in upper case, with an SSID (`KM3T-2`), without the skimmer suffixes `-#` and `-@`. */
  readonly spotter: string;
  /** Whether a skimmer decoded the signal: the spotter's call ended in `-#` or `-@`. */
  readonly skimmer: boolean;
  /** The frequency in kHz, as written. */
  readonly frequency: number;
  /** The spotted call in upper case. As for the spotter, only the characters are validated, not the form of a call. */
  readonly dx: string;
  /** The comment, trimmed, with control characters replaced by blanks. Not escaped for HTML. */
  readonly comment: string;
  /** The minute of the spot. A `DX de` line has no date: the day nearest to `now` is assumed. */
  readonly time: Date;
  /** The node where the spot was entered; in protocol frames and CC11 only. */
  readonly node?: string;
  /** Nodes that the frame may still pass; in PC11 and PC61 only. */
  readonly hops?: number;
  /** The spotter's IP address; in PC61 only. */
  readonly ip?: string;
  /** The original line. */
  readonly line: string;
}

/** A report of solar activity from the station WWV. */
export interface WwvReport {
  readonly kind: "wwv";
  readonly format: "wwv" | "pc23" | "pc27";
  /** The call of the reporter. */
  readonly reporter: string;
  /** The full hour (UTC) of the report. */
  readonly time: Date;
  /** Solar flux at 10.7 cm, in solar flux units (10⁻²² W m⁻² Hz⁻¹). */
  readonly solarFlux: number;
  /** Planetary A index of the last day. */
  readonly aIndex: number;
  /** K index of the last three hours, 0 to 9. */
  readonly kIndex: number;
  /** Observed and expected activity, as written: `"No Storms -> No Storms"`. */
  readonly forecast: string;
  /** The node where it was entered; in protocol frames only. */
  readonly node?: string;
  /** The original line. */
  readonly line: string;
}

/** A report of solar activity from the beacon DK0WCY in Kiel. */
export interface WcyReport {
  readonly kind: "wcy";
  readonly format: "wcy" | "pc73";
  /** The call of the reporter. */
  readonly reporter: string;
  /** The full hour (UTC) of the report. */
  readonly time: Date;
  /** Solar flux at 10.7 cm, in solar flux units (10⁻²² W m⁻² Hz⁻¹). */
  readonly solarFlux: number;
  /** A index of the last day, at Kiel. */
  readonly aIndex: number;
  /** K index of the last three hours, at Kiel, 0 to 9. */
  readonly kIndex: number;
  /** The K index expected for the current three hours. */
  readonly expectedKIndex: number;
  /** Number of sunspots (R). */
  readonly sunspots: number;
  /** As written: `qui`, `eru`, `act`, `maj`... for quiet, eruptive, active and major flares. */
  readonly solarActivity: string;
  /** The geomagnetic field, as written: `qui`, `act`, `min`, `maj`... for quiet, active, and storms. */
  readonly geomagneticField: string;
  /** Aurora, as written: `no`, `aurora`, `strong`. */
  readonly aurora: string;
  /** The node where it was entered; in protocol frames only. */
  readonly node?: string;
  /** The original line. */
  readonly line: string;
}

/** An announcement to users: `To ALL de DH1TW: hello`. */
export interface Announcement {
  readonly kind: "announcement";
  readonly from: string;
  /** The recipients, in upper case: `ALL`, `LOCAL`, `SYSOP`..., `*` for all in frames, or `WX` for a weather report. */
  readonly to: string;
  readonly text: string;
  /** The node where it was entered; in PC12 only. */
  readonly node?: string;
  /** The original line. */
  readonly line: string;
}

/** A message to one user: `DH1TW de W1AW: hello`. */
export interface TalkLine {
  readonly kind: "talk";
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The original line. */
  readonly line: string;
}

/** Any other line: prompts, greetings, other protocol frames, noise. */
export interface UnknownLine {
  readonly kind: "unknown";
  /** The original line. */
  readonly line: string;
}

/** A decoded line of a DX cluster, discriminated by `kind`. */
export type ClusterLine = Spot | WwvReport | WcyReport | Announcement | TalkLine | UnknownLine;
