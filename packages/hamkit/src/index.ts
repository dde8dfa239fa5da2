/**
 * `hamkit`: re-exports the public modules.
 *
 * A program that needs one part should import that part: `hamkit/locator` loads no callsign data. Everything loads in a
 * browser; operations that need files throw an `IOError` there.
 *
 * @module hamkit
 */
export { Callinfo } from "./callinfo.js";
export type { CallsignQuery, SourceProvider } from "./callinfo.js";
export {
  AnswerError,
  APIKeyMissingError,
  ArgumentTypeError,
  AttributeError,
  CallsignError,
  CountryFileError,
  DataFileError,
  FrequencyError,
  IOError,
  isHamkitError,
  KeyError,
  LocatorError,
  LogError,
  LoginError,
  LogXmlError,
  PositionError,
  TimeoutError,
  UnsupportedLookupError,
  UserListError,
  ValueError,
} from "./errors.js";
export type { HamkitError, HamkitErrorCode } from "./errors.js";
export { findBand, freqToBand, listBands } from "./frequency.js";
export type { Band, BandMode, BandResult, FreqToBandOptions, IaruRegion } from "./frequency.js";
export {
  calculateDistance,
  calculateDistanceLongpath,
  calculateHeading,
  calculateHeadingLongpath,
  calculateSunriseSunset,
  latlongToLocator,
  locatorToLatlong,
  pathPoints,
  sunPosition,
} from "./locator.js";
export type {
  EarthOptions,
  LocatorPrecision,
  PathOptions,
  Position,
  SunPosition,
  SunTimes,
} from "./locator.js";
export {
  copyIntoKvstore,
  createCountryFile,
  createKvstore,
  createLogXml,
  identify,
  identifyMany,
  loadEmbeddedCountryFile,
} from "./lookup.js";
export type {
  CallsignRecord,
  Continent,
  CopyOptions,
  CountryFile,
  CountryFileOptions,
  EntityRecord,
  Identification,
  IdentifiedCallsign,
  IdentifyOptions,
  KeyValueStore,
  Kvstore,
  KvstoreOptions,
  LookupSource,
  PrefixMatch,
  ServiceSource,
  TableSource,
} from "./lookup.js";
export { drawMap } from "./map.js";
export type { MapOptions, MapPlace, MapProjection, MapTheme } from "./map.js";
export { LookupLib } from "./lookuplib.js";
export type {
  CallbookEntity,
  CallbookName,
  CallbookRecord,
  Logger,
  LookupLibOptions,
  LookupType,
} from "./lookuplib.js";
