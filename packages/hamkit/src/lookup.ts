/**
 * `hamkit/lookup`: identifies callsigns synchronously in a table; unknown callsigns are values, not exceptions.
 *
 * For bulk work, browsers and workers. `hamkit/lookuplib` and `hamkit/callinfo` offer one interface to all sources.
 *
 * @module hamkit/lookup
 */
export { identify, identifyMany } from "./lookup/identify.js";
export type { IdentifyOptions } from "./lookup/identify.js";
export type {
  EntityEntry,
  Identification,
  IdentifiedCallsign,
  LookupSource,
  Moment,
  Period,
  PrefixMatch,
  Query,
  ServiceSource,
  TableContent,
  TableEntry,
  TableSource,
} from "./lookup/source.js";
export type {
  CallsignRecord,
  Continent,
  EntityRecord,
  LandContinent,
  LandRecord,
  MobileRecord,
} from "./lookup/record.js";
export { explain } from "./lookup/explanation/explain.js";
export type { ExplainOptions, SourceAnswer } from "./lookup/explanation/explain.js";
export { explanationLines, explanationText } from "./lookup/explanation/explanation-text.js";
export type { ExplanationLine } from "./lookup/explanation/explanation-text.js";
export type {
  Certainty,
  ComparedField,
  Conflict,
  DecidingRule,
  DxccEntityName,
  ExplainedEntry,
  Explanation,
  ExplanationDetails,
  LostReason,
  OtherAnswer,
  Override,
  PartReading,
  PassedOverEntry,
  SharedByEntities,
  SourcedEntry,
  UnknownReason,
} from "./lookup/explanation/explanation.js";
export type { CallsignPart, PartRole } from "./callsign/part-roles.js";
export { createCountryFile, loadEmbeddedCountryFile } from "./country-file/country-file.js";
export type { CountryFile, CountryFileOptions } from "./country-file/country-file.js";
export { createLogXml } from "./log-xml/log-xml.js";
export type { LogXml, LogXmlOptions } from "./log-xml/log-xml.js";
export type { TableSection } from "./lookup/candidate-keys.js";
export { copyIntoKvstore } from "./kvstore/kvstore-copy.js";
export type { CopyOptions } from "./kvstore/kvstore-copy.js";
export { createKvstore } from "./kvstore/kvstore.js";
export type { Kvstore, KvstoreOptions } from "./kvstore/kvstore.js";
export type { StoreClient } from "./kvstore/store-client.js";
export type {
  HashFields,
  KeyValueStore,
  StoredDataSet,
  StoredHashes,
  StoredRecords,
  StoredText,
  TogetherAnswer,
  WantedKeys,
} from "./kvstore/key-value-store.js";
