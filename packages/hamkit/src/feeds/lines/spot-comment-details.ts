/**
 * What feeds need of a comment beyond mode, signal-to-noise ratio, speed and split: the report of a skimmer, the sum that a node
 * makes of several skimmers, locators, and references of parks, summits and islands.
 */
import { findReferences } from "../../references/comment-references.js";
import { addDetails, findPath, type CommentedSpot } from "../../spots/spot-comment.js";
import type { SpotItem } from "./feed-item.js";

/** Members of a spot that its comment has. */
export type CommentDetails = Pick<
  SpotItem,
  | "mode"
  | "snrDb"
  | "wpm"
  | "bps"
  | "spotType"
  | "quality"
  | "zones"
  | "grid"
  | "grids"
  | "qsxKHz"
  | "listens"
> &
  Pick<SpotItem, "references" | "skimmer">;

/** A spot item while it is being filled. */
export type OpenDetails = { -readonly [Key in keyof CommentDetails]: CommentDetails[Key] };

/** `CW    20 dB  25 WPM  CQ`, `FT8   -12 dB  JO31  CQ`; all behind the decibels may be missing. */
const SKIMMER_REPORT =
  /^[A-Z0-9]{2,8} +[+-]?[0-9]{1,3} ?dB(?: +([0-9]{1,3}) (WPM|BPS))?(?: +([A-R]{2}[0-9]{2}(?:[A-X]{2})?))?(?: +(CQ|DX|DE|BEACON|NCDXF B|NCDXF))?$/i;
/** DXSpider's sum of several skimmers: `CW  28dB Q:9* Z:5,15,20`. */
const SUM = /(?<!\S)Q:([0-9])[*+]{0,2}(?: +Z:([0-9]{1,2}(?:,[0-9]{1,2}){0,39}))?(?!\S)/;
/** The details of the comment of any spot. */
export function describeSpotComment(comment: string, frequencyKHz: number): OpenDetails {
  const { mode, snr, wpm, qsx, listens }: CommentedSpot = addDetails({ comment, frequency: frequencyKHz });
  const details: OpenDetails = {};
  if (mode !== undefined) details.mode = mode;
  if (snr !== undefined) details.snrDb = snr;
  if (wpm !== undefined) details.wpm = wpm;
  if (qsx !== undefined) details.qsxKHz = qsx;
  if (listens !== undefined) details.listens = listens;
  addReport(details, comment);
  return details;
}

/** Adds the details that `decodeSpot` doesn't look for. */
export function addReport(details: OpenDetails, comment: string): void {
  if (comment === "") return;
  if (details.snrDb !== undefined) addSkimmerReport(details, comment);
  const path = findPath(comment);
  if (path !== undefined) details.grids = [path.locator, path.dxLocator];
  const references = findReferences(comment);
  if (references.length > 0) details.references = references;
}

function addSkimmerReport(details: OpenDetails, comment: string): void {
  const [report, speed, unit, grid, type] = SKIMMER_REPORT.exec(comment) ?? [];
  // Users write a report, but hardly a speed and a type.
  const isSkimmers = details.skimmer === true || (speed !== undefined && type !== undefined);
  if (report !== undefined && isSkimmers) {
    details.skimmer = true;
    if (unit?.toUpperCase() === "BPS") details.bps = Number(speed);
    if (grid !== undefined && grid.toUpperCase() !== "RR73") details.grid = grid.toUpperCase();
    if (type !== undefined) details.spotType = type.toUpperCase();
  }
  const [sum, quality, zones] = SUM.exec(comment) ?? [];
  if (sum === undefined) return;
  details.skimmer = true;
  details.quality = Number(quality);
  if (zones !== undefined) details.zones = zones.split(",").map(Number);
}
