/** What a line of a DX cluster says: the kinds of line that are understood, and what each carries. */

/** Modes that are understood in a comment, in upper case as ADIF spells them, but for the sidebands of SSB. */
export type SpotMode =
  | ("CW" | "SSB" | "USB" | "LSB" | "AM" | "FM" | "RTTY" | "SSTV" | "DMR" | "C4FM" | "OLIVIA" | "MFSK")
  | ("FT8" | "FT4" | "JS8" | "Q65" | "MSK144" | "JT65" | "JT9" | "JT4" | "FST4" | "FST4W" | "WSPR")
  | ("PSK" | "PSK31" | "PSK63" | "PSK125");

/** Each is there only where the comment says it. */
export interface SpotDetails {
  /** The first mode that the comment names. */
  readonly mode?: SpotMode;
  /** The signal above the noise in dB, as skimmers and digital modes measure it. An S meter's `59+20dB` is none. */
  readonly snr?: number;
  /** Speed of Morse code in words per minute. */
  readonly wpm?: number;
  /** The frequency in kHz on which the station listens: `QSX 14210`, `UP 5`, `2 DN`. A range (`UP 5-10`) gives none. */
  readonly qsx?: number;
}

/** Somebody, or a skimmer, heard a station. */
export interface Spot extends SpotDetails {
  readonly kind: "spot";
  /** How the line was written: `DX de ...` for people, or a frame of the protocol between nodes. */
  readonly format: "dx" | "pc11" | "pc61";
  /** Who heard it: upper case, an SSID (`KM3T-2`) kept, the mark `-#` of skimmers taken off. */
  readonly spotter: string;
  /** A receiver decoded the signal by itself: the spotter's call ended in `-#`. */
  readonly skimmer: boolean;
  /** The frequency in kHz, as written. */
  readonly frequency: number;
  /** The station heard, in upper case. As for the spotter, only the characters are checked, not the form of a call. */
  readonly dx: string;
  /** As written, without blanks at its ends; control characters are blanks. Not escaped for HTML. */
  readonly comment: string;
  /** The minute of the spot. A `DX de` line has no date: the day nearest to `now` is meant. */
  readonly time: Date;
  /** Where the spotter is: the locator of 4 or 6 characters that some nodes write behind the time. */
  readonly locator?: string;
  /** The node where the spot was entered; in protocol frames only. */
  readonly node?: string;
  /** The spotter's internet address; in PC61 only. */
  readonly ip?: string;
  /** The line as it was passed in. */
  readonly line: string;
}

/** A report of solar activity from the station WWV. */
export interface WwvReport {
  readonly kind: "wwv";
  readonly format: "wwv" | "pc23";
  /** Who passed the report on. */
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
  /** The line as it was passed in. */
  readonly line: string;
}

/** A report of solar activity from the beacon DK0WCY in Kiel. */
export interface WcyReport {
  readonly kind: "wcy";
  readonly format: "wcy" | "pc73";
  /** Who passed the report on. */
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
  /** Whether there is an aurora, as written: `no`, `aurora`, `strong`. */
  readonly aurora: string;
  /** The node where it was entered; in protocol frames only. */
  readonly node?: string;
  /** The line as it was passed in. */
  readonly line: string;
}

/** What somebody says to all users: `To ALL de DH1TW: hello`. */
export interface Announcement {
  readonly kind: "announcement";
  readonly from: string;
  /** To whom, in upper case: `ALL`, `LOCAL`, `SYSOP`..., or `WX` for a report of the weather. */
  readonly to: string;
  readonly text: string;
  /** The line as it was passed in. */
  readonly line: string;
}

/** Anything else: prompts, greetings, other frames of the protocol, rubbish. */
export interface UnknownLine {
  readonly kind: "unknown";
  /** The line as it was passed in. */
  readonly line: string;
}

/** What a line of a DX cluster says; `kind` tells which. */
export type ClusterLine = Spot | WwvReport | WcyReport | Announcement | UnknownLine;
