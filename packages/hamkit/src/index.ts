/**
 * All of hamkit by one name.
 *
 * Programs that need one part import that part: `hamkit/locator` loads no callsign data, and the modules that run in a
 * browser are `hamkit/locator`, `hamkit/frequency` and `hamkit/lookup`.
 */
export { Callinfo } from "./callinfo.js";
export type { SourceProvider } from "./callinfo.js";
export {
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
  PositionError,
  UnsupportedLookupError,
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
export { createCountryFile, identify, identifyMany, loadEmbeddedCountryFile } from "./lookup.js";
export type {
  CallsignRecord,
  Continent,
  CountryFile,
  CountryFileOptions,
  EntityRecord,
  Identification,
  IdentifiedCallsign,
  IdentifyOptions,
  LookupSource,
  PrefixMatch,
  ServiceSource,
  TableSource,
} from "./lookup.js";
export { drawMap } from "./map.js";
export type { MapOptions, MapPlace, MapProjection, MapTheme } from "./map.js";
export { LookupLib } from "./lookuplib.js";
export type { Logger, LookupLibOptions, LookupType } from "./lookuplib.js";
