/** The spots of all feeds in one form. */
import { findBand } from "../../bands/freq-to-band.js";
import type { Continent } from "../../lookup/record.js";
import type { FeedItem, ReportItem, SpotItem } from "../lines/feed-item.js";
import { broadMode } from "../lines/feed-fields.js";

/** A station's entity and place, looked up. */
export interface FeedStation {
  readonly country: string;
  /** ADIF's code of the entity; 999 at sea, 998 in the air. */
  readonly adif: number;
  /** "" at sea and in the air. */
  readonly continent: Continent;
  /** Absent at sea and in the air, as `ituz`. */
  readonly cqz?: number;
  readonly ituz?: number;
  /** In degrees; absent at sea and in the air. The locator's center if the spot has one, else the middle of the entity or area. */
  readonly latitude?: number;
  readonly longitude?: number;
  /** From the own locator, on the short path; absent without it, and at sea and in the air. */
  readonly distanceKm?: number;
  readonly heading?: number;
}

/** A spot of any feed. It is data: JSON, but for its time. */
export interface FeedSpot {
  /** The name of the source. */
  readonly source: string;
  /** When the station was heard (UTC): to the minute in cluster lines. */
  readonly time: Date;
  /** What the line has in MHz is converted. */
  readonly frequencyKHz: number;
  /** ADIF's name of the band; absent outside the bands. */
  readonly band?: string;
  /** In upper case and one spelling: `CW`, `SSB` for both sidebands, `FT8`, `RTTY`, `PSK31`... Absent if it is not known. */
  readonly mode?: string;
  /** The spot has no mode; it is that of the IARU band plan: `CW`, `SSB` or `DIGITAL`. */
  readonly modeAssumed?: true;
  /** The spotted call, in upper case. */
  readonly dx: string;
  /** Who heard it: a call in upper case, seldom another name. */
  readonly spotter?: string;
  /** A program decoded the signal. */
  readonly skimmer: boolean;
  /** Control characters are replaced by blanks. Not escaped for HTML. */
  readonly comment: string;
  /** Signal-to-noise ratio in dB. */
  readonly snrDb?: number;
  /** Words per minute. */
  readonly wpm?: number;
  /** The frequency on which the station listens. */
  readonly qsxKHz?: number;
  /** The station listens above or below its frequency; it is not known where. Absent with `qsxKHz`. */
  readonly listens?: "up" | "down";
  /** Locators in upper case. */
  readonly dxGrid?: string;
  readonly spotterGrid?: string;
  /** The kind of propagation in the comment of a VHF spot, as ADIF's `PROP_MODE`: `TR`, `ES`, `MS`, `EME`. */
  readonly propagation?: string;
  /** The station's place in degrees, as the feed has it. */
  readonly position?: readonly [latitude: number, longitude: number];
  /** Program and reference of parks, summits and islands: `POTA US-1234`. */
  readonly references?: readonly string[];
  /** The activation ends. */
  readonly qrt?: true;
  /** The stations, looked up; absent without a table, and for unknown calls. */
  readonly dxStation?: FeedStation;
  readonly spotterStation?: FeedStation;
}

/** A spot while it is being filled. */
export type OpenFeedSpot = { -readonly [Key in keyof FeedSpot]: FeedSpot[Key] };

/**
 * The spot of an item; `undefined` for an item that is none: an announcement, a report without a call, a spot that its service marks
 * as invalid or as a test.
 *
 * @param source The name of the source.
 * @example
 * const item = parseFeedLine("DX de DH1TW:     14.025  W1AW         tnx                            1201Z");
 * const spot = spotOfItem(item, "my node");
 * spot && [spot.dx, spot.frequencyKHz, spot.band, spot.mode, spot.modeAssumed]; // => ["W1AW", 14025, "20m", "CW", true]
 */
export function spotOfItem(item: FeedItem, source: string): FeedSpot | undefined {
  if (item.kind === "spot")
    return item.invalid === true || item.test === true ? undefined : ofSpot(item, source);
  return item.kind === "report" ? ofReport(item, source) : undefined;
}

function ofSpot(item: SpotItem, source: string): FeedSpot {
  const frequencyKHz =
    item.suspect === "MHz" ? Math.round(item.frequencyKHz * 1e6) / 1000 : item.frequencyKHz;
  const spot: OpenFeedSpot = {
    source,
    time: item.at,
    frequencyKHz,
    dx: item.dx,
    skimmer: item.skimmer === true,
    comment: item.comment,
  };
  addBandAndMode(spot, item.mode ?? undefined);
  if (item.spotter !== undefined) spot.spotter = item.spotter;
  if (item.snrDb !== undefined) spot.snrDb = item.snrDb;
  if (item.wpm !== undefined) spot.wpm = item.wpm;
  if (item.qsxKHz !== undefined) spot.qsxKHz = item.qsxKHz;
  if (item.listens !== undefined) spot.listens = item.listens;
  const dxGrid = item.dxGrid ?? item.grid;
  if (dxGrid !== undefined) spot.dxGrid = dxGrid;
  if (item.spotterGrid !== undefined) spot.spotterGrid = item.spotterGrid;
  if (item.propagation !== undefined) spot.propagation = item.propagation;
  if (item.position !== undefined) spot.position = item.position;
  const references =
    item.reference === undefined ? item.references : [`${item.program ?? ""} ${item.reference}`.trim()];
  if (references !== undefined) spot.references = references;
  if (item.qrt !== undefined) spot.qrt = item.qrt;
  return spot;
}

function ofReport(item: ReportItem, source: string): FeedSpot | undefined {
  if (item.sender === null) return undefined;
  const spot: OpenFeedSpot = {
    source,
    time: item.at,
    frequencyKHz: item.frequencyHz / 1000,
    dx: item.sender,
    skimmer: true,
    comment: "",
  };
  addBandAndMode(spot, item.mode);
  if (item.receiver !== null) spot.spotter = item.receiver;
  if (item.snrDb !== undefined) spot.snrDb = item.snrDb;
  if (typeof item.senderGrid === "string") spot.dxGrid = item.senderGrid;
  if (typeof item.receiverGrid === "string") spot.spotterGrid = item.receiverGrid;
  return spot;
}

function addBandAndMode(spot: OpenFeedSpot, mode: string | undefined): void {
  const band = findBand(spot.frequencyKHz);
  if (band !== undefined) spot.band = band.adif;
  if (mode !== undefined) spot.mode = broadMode(mode);
  else if (band !== undefined && band.mode !== null) {
    spot.mode = broadMode(band.mode);
    spot.modeAssumed = true;
  }
}
