/** Spots as the page has them: what table and map show, and nothing else, since there are thousands. */
import type { FeedSpot } from "hamkit/feeds";

import type { SolarReport } from "../sky/solar-reports.js";
import type { Needed } from "../needed/need-words.js";

export interface LiveSpot {
  /** Counts up in the order of arrival. */
  readonly id: number;
  /** When the station was heard, in milliseconds since 1970. */
  readonly time: number;
  readonly dx: string;
  readonly frequencyKHz: number;
  readonly band: string;
  readonly mode: string;
  readonly country: string;
  /** Where it was heard; "" if that is not known. */
  readonly spotterContinent: string;
  readonly spotter: string;
  readonly snrDb: number | undefined;
  readonly comment: string;
  readonly source: string;
  readonly dxGrid: string | undefined;
  readonly references: readonly string[] | undefined;
  /** `undefined` at sea, in the air, and for unknown calls. */
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** Whether the place is its own, not the middle of its country. */
  readonly isExact: boolean;
  /** `undefined` as long as no log answers. */
  readonly needed: readonly Needed[] | undefined;
}

/** How a source is doing. */
export interface SourceView {
  readonly source: string;
  readonly state: "connecting" | "connected" | "waiting" | "ended" | "failed";
  /** Milliseconds since 1970; of a source that waits. */
  readonly retryAt?: number | undefined;
  readonly problem?: string | undefined;
  readonly lastSpotAt?: number | undefined;
}

/** A log that the server watches. */
export interface ServerLog {
  readonly name: string;
  readonly contacts: number;
  readonly problem?: string | undefined;
}

/** What the worker sends to the page. */
export type LiveMessage =
  | { readonly kind: "spots"; readonly spots: readonly LiveSpot[] }
  | { readonly kind: "source"; readonly source: SourceView }
  /** All of them, at a new connection. */
  | { readonly kind: "sources"; readonly sources: readonly SourceView[] }
  | { readonly kind: "logs"; readonly logs: readonly ServerLog[] }
  /** Solar activity, by a cluster. */
  | { readonly kind: "report"; readonly report: SolarReport }
  /** Spots that the connection lost. */
  | { readonly kind: "missed"; readonly count: number }
  /** Of the server; without one, sources have states of their own. */
  | { readonly kind: "server"; readonly server: SourceView };

/** What a connection in the worker reports. */
export interface LiveOutput {
  /** Ends the connection when it is aborted. */
  readonly signal: AbortSignal;
  readonly send: (message: LiveMessage) => void;
  readonly sendSpot: (spot: LiveSpot) => void;
}

/** What the page asks the worker for. */
export type LiveRequest =
  | { readonly kind: "server"; readonly url: string }
  | { readonly kind: "direct"; readonly sources: DirectSources; readonly locator: string | undefined };

/** Services that a browser can reach by itself, if the user turns them on. */
export interface DirectSources {
  readonly pskReporter:
    | { readonly url: string; readonly band: string; readonly receiverGrid?: string }
    | undefined;
  readonly pota: { readonly url: string } | undefined;
}

export function toLiveSpot(spot: FeedSpot, id: number, needed: readonly Needed[] | undefined): LiveSpot {
  const { dxStation, spotterStation, position, dxGrid, references } = spot;
  return {
    id,
    time: spot.time.getTime(),
    dx: spot.dx,
    frequencyKHz: spot.frequencyKHz,
    band: spot.band ?? "",
    mode: spot.mode ?? "",
    country: dxStation?.country ?? "",
    spotterContinent: spotterStation?.continent ?? "",
    spotter: spot.spotter ?? "",
    snrDb: spot.snrDb,
    comment: commentOf(spot),
    source: spot.source,
    dxGrid,
    references,
    latitude: dxStation?.latitude,
    longitude: dxStation?.longitude,
    isExact: position !== undefined || dxGrid !== undefined,
    needed,
  };
}

/** With references that the comment doesn't have, and the end of an activation. */
function commentOf({ comment, references = [], qrt }: FeedSpot): string {
  const added = references.filter((reference) => !comment.includes(reference.replace(/^\S+ /, "")));
  const end = qrt === true && !/\bQRT\b/i.test(comment) ? ["QRT"] : [];
  return [...end, ...added, comment].filter((part) => part !== "").join("  ");
}
