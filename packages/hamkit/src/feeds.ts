/**
 * `hamkit/feeds`: live spots of DX clusters, skimmers, PSK Reporter and activators, merged into one stream.
 *
 * Parsing and merging work in a browser; connections to clusters need Node.
 *
 * @module hamkit/feeds
 */
export { parseFeedLine } from "./feeds/lines/parse-feed-line.js";
export type { FeedFormat, ParseFeedLineOptions } from "./feeds/lines/parse-feed-line.js";
export type {
  ActivatorProgram,
  DecodeItem,
  FeedItem,
  MessageItem,
  OtherItem,
  ReportItem,
  SpotItem,
  StationPair,
  UnknownItem,
  WcyItem,
  WwvItem,
} from "./feeds/lines/feed-item.js";
export { spotOfItem } from "./feeds/merge/feed-spot.js";
export type { FeedSpot, FeedStation } from "./feeds/merge/feed-spot.js";
export { createSpotFilter } from "./feeds/merge/spot-filter.js";
export type { SpotCriteria } from "./feeds/merge/spot-filter.js";
export { openFeed } from "./feeds/merge/open-feed.js";
export type { Feed, OpenFeedOptions } from "./feeds/merge/open-feed.js";
export type { SourceState } from "./feeds/connections/reconnecting.js";
export { activatorSource } from "./feeds/connections/activator-source.js";
export type { ActivatorSourceOptions } from "./feeds/connections/activator-source.js";
export { clusterSource, rbnSource } from "./feeds/connections/cluster-source.js";
export type { ClusterSourceOptions, RbnSourceOptions } from "./feeds/connections/cluster-source.js";
export { eventOfSpot, eventStreamSource } from "./feeds/connections/event-stream-source.js";
export type { EventStreamSourceOptions } from "./feeds/connections/event-stream-source.js";
export type { FeedHandlers, FeedSource } from "./feeds/connections/feed-source.js";
export { lineSource } from "./feeds/connections/line-source.js";
export type { LineSourceOptions } from "./feeds/connections/line-source.js";
export { pskReporterSource } from "./feeds/connections/psk-reporter-source.js";
export type { PskReporterFilter, PskReporterSourceOptions } from "./feeds/connections/psk-reporter-source.js";
export type { MqttClient, MqttConnect } from "./io/sockets/mqtt-client.js";
