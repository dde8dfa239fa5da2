/**
 * `hamkit/spots`: decodes the lines of DX clusters and skimmers, and looks up their stations.
 *
 * @module hamkit/spots
 */
export { annotateSpot } from "./spots/annotate-spot.js";
export type { AnnotatedSpot, AnnotateSpotOptions, SpotStation } from "./spots/annotate-spot.js";
export type {
  Announcement,
  ClusterLine,
  Spot,
  TalkLine,
  UnknownLine,
  WcyReport,
  WwvReport,
} from "./spots/spot.js";
export { decodeSpot, decodeSpots } from "./spots/decode-spot.js";
export type { DecodeSpotOptions, DecodeSpotsOptions } from "./spots/decode-spot.js";
export type { SpotColumns, SpotDetails, SpotMode } from "./spots/spot.js";
