/** Where a satellite is, and how it is seen from a place: SGP4 of satellite.js, which is loaded on first use. */
import { ValueError } from "../errors.js";
import { checkPosition } from "../geo/position.js";
import { solarPosition } from "../sun/solar-position.js";
import type { SatelliteElements } from "./elements.js";
import {
  FLATTENING,
  RADIANS,
  RADIUS,
  seenFrom,
  type Observer,
  type SatelliteLook,
  type Vector,
} from "./satellite-look.js";
import {
  findPasses,
  findSharedPasses,
  type PassesOptions,
  type SatellitePass,
  type SharedPass,
} from "./passes.js";

/** Follows a satellite. */
export interface SatelliteTracker {
  readonly elements: SatelliteElements;
  /** Days between the epoch of the elements and a moment: in low orbit they are good for 7 to 14. */
  ageDays(at: Date): number;
  /** `undefined` where the elements yield no orbit: after the satellite has come down. */
  look(at: Date, observer: Observer): SatelliteLook | undefined;
  /** Passes above the horizon of a place, in their order. */
  passes(observer: Observer, options: PassesOptions): readonly SatellitePass[];
  /** When places see the satellite at the same time. `minElevation` is that of the best moment, where the satellite is lowest. */
  sharedPasses(observers: readonly Observer[], options: PassesOptions): readonly SharedPass[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Of the earth, in radians a second. */
const ROTATION = 7.292_115_146_706_98e-5;

/**
 * A tracker of a satellite. It loads `satellite.js`.
 *
 * @param elements As of `parseElements` or `openElements`.
 * @example
 * const { satellites: [iss] } = parseElements(`ISS (ZARYA)
 * 1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927
 * 2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537`);
 * const tracker = iss && (await trackSatellite(iss));
 * const look = tracker?.look(new Date("2008-09-20T19:57:29Z"), { latitude: 48.52, longitude: 9.375 });
 * Math.round(look?.rangeKm ?? 0); // => 356
 */
export async function trackSatellite(elements: SatelliteElements): Promise<SatelliteTracker> {
  const { json2satrec, sgp4, gstime } = await import("satellite.js");
  const record = json2satrec(ommOf(elements));
  const epoch = elements.epoch.getTime();

  function look(at: Date, observer: Observer): SatelliteLook | undefined {
    const moved = sgp4(record, (at.getTime() - epoch) / 60_000);
    if (moved === null || typeof moved.position !== "object" || Number.isNaN(moved.position.x))
      return undefined;
    const { position: place, velocity } = moved;
    const angle = gstime(at);
    const position = turned([place.x, place.y, place.z], angle);
    // The velocity in a system that turns with the earth.
    const [vx, vy, vz] = turned([velocity.x, velocity.y, velocity.z], angle);
    const seen = seenFrom(observer, position, [vx + ROTATION * position[1], vy - ROTATION * position[0], vz]);
    return { time: at, ...seen, ...geodetic(position), isSunlit: isSunlit(position, at) };
  }

  return {
    elements,
    ageDays: (at) => Math.abs(at.getTime() - epoch) / DAY_MS,
    look,
    passes(observer, options) {
      checkPosition(observer);
      return findPasses((at) => look(at, observer), { meanMotion: elements.meanMotion, ...options });
    },
    sharedPasses(observers, options) {
      if (observers.length === 0)
        throw new ValueError({ argument: "observers", value: observers, expected: "at least one place" });
      for (const observer of observers) checkPosition(observer);
      const looksAt = (at: Date) => {
        const looks = observers.map((observer) => look(at, observer));
        return looks.every((each) => each !== undefined) ? looks : undefined;
      };
      return findSharedPasses(looksAt, { meanMotion: elements.meanMotion, ...options });
    },
  };
}

function ommOf(elements: SatelliteElements) {
  return {
    OBJECT_NAME: elements.name,
    OBJECT_ID: "",
    EPOCH: elements.epoch.toISOString().slice(0, -1),
    MEAN_MOTION: elements.meanMotion,
    ECCENTRICITY: elements.eccentricity,
    INCLINATION: elements.inclination,
    RA_OF_ASC_NODE: elements.ascendingNode,
    ARG_OF_PERICENTER: elements.perigee,
    MEAN_ANOMALY: elements.meanAnomaly,
    EPHEMERIS_TYPE: 0,
    CLASSIFICATION_TYPE: "U",
    NORAD_CAT_ID: elements.catalogNumber,
    ELEMENT_SET_NO: 999,
    REV_AT_EPOCH: 0,
    BSTAR: elements.bstar,
    MEAN_MOTION_DOT: 0,
    MEAN_MOTION_DDOT: 0,
  } as const;
}

/** From the inertial system of SGP4 into one that turns with the earth. */
function turned([x, y, z]: Vector, angle: number): Vector {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos + y * sin, y * cos - x * sin, z];
}

/** Bowring's formula: exact to millimeters at heights of satellites after two rounds. */
function geodetic([x, y, z]: Vector): { latitude: number; longitude: number; heightKm: number } {
  const squared = FLATTENING * (2 - FLATTENING);
  const across = Math.hypot(x, y);
  let phi = Math.atan2(z, across * (1 - squared));
  let normal = RADIUS;
  for (let round = 0; round < 5; round++) {
    normal = RADIUS / Math.sqrt(1 - squared * Math.sin(phi) ** 2);
    phi = Math.atan2(z + squared * normal * Math.sin(phi), across);
  }
  const heightKm = across * Math.cos(phi) + z * Math.sin(phi) - (RADIUS * RADIUS) / normal;
  return { latitude: phi / RADIANS, longitude: Math.atan2(y, x) / RADIANS, heightKm };
}

const DAYS_TO_J2000 = 10_957.5;

/** Outside the cylinder of the earth's shadow; the half-shadow counts as light. */
function isSunlit(position: Vector, at: Date): boolean {
  const days = at.getTime() / DAY_MS;
  const { declination, equationOfTime } = solarPosition(days - DAYS_TO_J2000);
  const longitude = -((days % 1) - 0.5) * 2 * Math.PI - equationOfTime;
  const sun: Vector = [
    Math.cos(declination) * Math.cos(longitude),
    Math.cos(declination) * Math.sin(longitude),
    Math.sin(declination),
  ];
  const towards = position[0] * sun[0] + position[1] * sun[1] + position[2] * sun[2];
  if (towards > 0) return true;
  return Math.hypot(...position.map((value, axis) => value - towards * (sun[axis] as number))) > RADIUS;
}
