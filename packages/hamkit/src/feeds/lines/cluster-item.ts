/** Decoded lines of a DX cluster under the names that all feeds share. */
import type { Announcement, ClusterLine, Spot, TalkLine, WcyReport, WwvReport } from "../../spots/spot.js";
import type { FeedItem, MessageItem, SpotItem, StationPair, WcyItem, WwvItem } from "./feed-item.js";
import { addReport } from "./spot-comment-details.js";

type Open<Item> = { -readonly [Key in keyof Item]: Item[Key] };

/** A spot of less is in MHz: the band of 2200 m begins at 135.7 kHz. */
const MIN_KHZ = 100;

/** Frames that `decodeSpot` reads: where it doesn't, they are damaged. */
const READ_FRAMES: ReadonlySet<string> = new Set([
  "PC10",
  "PC11",
  "PC12",
  "PC23",
  "PC26",
  "PC27",
  "PC61",
  "PC73",
  "PC93",
]);

/** The item of a decoded line. */
export function clusterItem(decoded: ClusterLine): FeedItem {
  switch (decoded.kind) {
    case "spot":
      return spotItem(decoded);
    case "wwv":
      return wwvItem(decoded);
    case "wcy":
      return wcyItem(decoded);
    case "announcement":
    case "talk":
      return messageItem(decoded);
    default:
      return otherItem(frameOf(decoded.line));
  }
}

function otherItem(frame: string | undefined): FeedItem {
  return frame === undefined || READ_FRAMES.has(frame) ? { kind: "unknown" } : { kind: "other", frame };
}

function spotItem(spot: Spot): SpotItem {
  const { time: at, format, comment, mode, snr, wpm, qsx, listens, hops, node, ip } = spot;
  const item: Open<SpotItem> = {
    kind: "spot",
    at,
    time: clockOf(at),
    dx: spot.dx,
    spotter: spot.spotter,
    frequencyKHz: spot.frequency,
    comment,
  };
  if (format !== "dx") item.date = dayOf(at);
  if (format.startsWith("pc")) item.frame = format.toUpperCase();
  if (spot.skimmer) item.skimmer = true;
  if (spot.frequency < MIN_KHZ) item.suspect = "MHz";
  if (mode !== undefined) item.mode = mode;
  if (snr !== undefined) item.snrDb = snr;
  if (wpm !== undefined) item.wpm = wpm;
  if (qsx !== undefined) item.qsxKHz = qsx;
  if (listens !== undefined) item.listens = listens;
  addReport(item, comment);
  if (node !== undefined) item.node = node;
  if (ip !== undefined) item.ip = ip;
  if (hops !== undefined) item.hops = hops;
  if (spot.propagation !== undefined) item.propagation = spot.propagation;
  if (spot.dxLocator !== undefined) item.dxGrid = spot.dxLocator;
  if (spot.locator !== undefined) item.spotterGrid = spot.locator;
  const states = pairOf(spot.dxState, spot.spotterState);
  if (states !== undefined) item.states = states;
  const zones = pairOf(spot.dxZone, spot.spotterZone);
  if (zones !== undefined && item.zones === undefined) item.zones = zones;
  if (format === "cc11") addNodeColumns(item, spot);
  return item;
}

function addNodeColumns(item: Open<SpotItem>, spot: Spot): void {
  if (spot.dxItuz !== undefined) item.dxItu = spot.dxItuz;
  if (spot.dxCqz !== undefined) item.dxCq = spot.dxCqz;
  if (spot.spotterItuz !== undefined) item.spotterItu = spot.spotterItuz;
  if (spot.spotterCqz !== undefined) item.spotterCq = spot.spotterCqz;
  if (spot.dxEntity !== undefined) item.dxEntity = spot.dxEntity;
  if (spot.spotterEntity !== undefined) item.spotterEntity = spot.spotterEntity;
}

function wwvItem({
  time: at,
  format,
  reporter,
  solarFlux,
  aIndex,
  kIndex,
  forecast,
  node,
}: WwvReport): WwvItem {
  return {
    kind: "wwv",
    at,
    from: reporter,
    hour: at.getUTCHours(),
    sfi: solarFlux,
    a: aIndex,
    k: kIndex,
    text: forecast,
    ...(format === "wwv" ? undefined : { frame: format.toUpperCase(), date: dayOf(at) }),
    ...(node === undefined ? undefined : { node }),
  };
}

function wcyItem({ time: at, format, node, ...report }: WcyReport): WcyItem {
  return {
    kind: "wcy",
    at,
    from: report.reporter,
    hour: at.getUTCHours(),
    sfi: report.solarFlux,
    a: report.aIndex,
    k: report.kIndex,
    expK: report.expectedKIndex,
    r: report.sunspots,
    sa: report.solarActivity,
    gmf: report.geomagneticField,
    aurora: report.aurora,
    ...(format === "wcy" ? undefined : { frame: format.toUpperCase(), date: dayOf(at) }),
    ...(node === undefined ? undefined : { node }),
  };
}

function messageItem(message: Announcement | TalkLine): MessageItem {
  const { kind, from, to, text, line } = message;
  const frame = frameOf(line);
  const node = "node" in message ? message.node : undefined;
  return {
    kind,
    from,
    to,
    text,
    ...(frame === undefined ? undefined : { frame }),
    ...(node === undefined ? undefined : { node }),
  };
}

function frameOf(line: string): string | undefined {
  return /^\s{0,80}(PC[0-9]{2})\^/.exec(line)?.[1];
}

function pairOf<Value>(dx: Value | undefined, spotter: Value | undefined): StationPair<Value> | undefined {
  if (dx === undefined && spotter === undefined) return undefined;
  return { ...(dx !== undefined && { dx }), ...(spotter !== undefined && { spotter }) };
}

function clockOf(at: Date): string {
  return String(at.getUTCHours() * 100 + at.getUTCMinutes()).padStart(4, "0");
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
