/**
 * `hamkit/satellites`: elements of satellites, their passes over a place, azimuth, elevation, range and Doppler.
 *
 * The orbits are those of SGP4, by `satellite.js`, which is loaded by the first satellite that is tracked.
 *
 * @module hamkit/satellites
 */
export {
  downlinkHeard,
  lookAtGeostationary,
  QO_100,
  uplinkOf,
  uplinkToSend,
  type Transponder,
} from "./satellites/doppler.js";
export { parseElements } from "./satellites/elements.js";
export type { ElementsProblem, ParsedElements, SatelliteElements } from "./satellites/elements.js";
export { openElements } from "./satellites/open-elements.js";
export type { ElementsList, ElementsSource, OpenElementsOptions } from "./satellites/open-elements.js";
export type { PassesOptions, SatellitePass, SharedPass } from "./satellites/passes.js";
export { lotwSatelliteName } from "./satellites/satellite-names.js";
export { squaresInView, type SubsatellitePoint } from "./satellites/squares.js";
export { trackSatellite } from "./satellites/tracker.js";
export type { Observer, SatelliteLook } from "./satellites/satellite-look.js";
export type { SatelliteTracker } from "./satellites/tracker.js";
