/**
 * Which country a callsign is from, as values and at once: no promises, no exceptions on the way.
 *
 * For bulk work, browsers and workers. `hamkit/lookuplib` and `hamkit/callinfo` offer the same behind one interface for
 * all kinds of database.
 */
export { identify, identifyMany } from "./lookup/identify.js";
export type { IdentifyOptions } from "./lookup/identify.js";
export type {
  Identification,
  IdentifiedCallsign,
  LookupSource,
  PrefixMatch,
  ServiceSource,
  TableSource,
} from "./lookup/ports.js";
export type { CallsignRecord, Continent, EntityRecord } from "./lookup/record.js";
export { createCountryFile, loadEmbeddedCountryFile } from "./sources/country-file.js";
export type { CountryFile, CountryFileOptions } from "./sources/country-file.js";
