/**
 * What feeds need of a comment beyond mode, signal-to-noise ratio, speed and split: the report of a skimmer, the sum that a node
 * makes of several skimmers, locators, and references of parks, summits and islands.
 */
import { addDetails, type CommentedSpot } from "../../spots/spot-comment.js";
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
/** `IO91<TR>JO22`, `EL86XQ<>EN80`: the two locators around the kind of propagation. */
const LOCATORS =
  /(?<!\w)([A-R]{2}[0-9]{2}(?:[A-X]{2})?) ?<[A-Z0-9]{0,6}> ?([A-R]{2}[0-9]{2}(?:[A-X]{2})?)(?!\w)/i;

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
  const [, one, other] = comment.includes("<") ? (LOCATORS.exec(comment) ?? []) : [];
  if (one !== undefined && other !== undefined) details.grids = [one.toUpperCase(), other.toUpperCase()];
  const references = comment.includes("-") ? findReferences(comment) : [];
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

/** Forms of references that no other text has. */
const FORMS: readonly (readonly [program: string, form: RegExp])[] = [
  ["WWFF", /^[A-Z0-9]{1,3}FF-[0-9]{4}$/],
  ["SOTA", /^[A-Z0-9]{1,4}\/[A-Z]{2}-[0-9]{3}$/],
  ["IOTA", /^(?:AF|AN|AS|EU|NA|OC|SA)-[0-9]{3}$/],
  ["WWBOTA", /^B\/[A-Z0-9]{1,4}-[0-9]{4}$/],
];
/** Parks have the form of many things, such as transceivers: IC-7300. Those of the USA are told without the program's name. */
const PARK = /^[A-Z0-9]{1,4}-[0-9]{4,5}$/;
const PARK_ALONE = /^(?:US|K)-[0-9]{4,5}$/;

const MAX_REFERENCES = 10;

function findReferences(comment: string): string[] {
  const words = comment.toUpperCase().split(/[^A-Z0-9/-]+/, 100);
  const park = words.includes("POTA") ? PARK : PARK_ALONE;
  const found = words.flatMap((word) => {
    if (!/[0-9]{3}$/.test(word)) return [];
    const program = FORMS.find(([, form]) => form.test(word))?.[0] ?? (park.test(word) ? "POTA" : undefined);
    return program === undefined ? [] : [`${program} ${word}`];
  });
  return [...new Set(found)].slice(0, MAX_REFERENCES);
}
