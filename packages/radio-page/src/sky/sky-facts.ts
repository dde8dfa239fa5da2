/** Sun and moon over two places, and when both see the moon. Runs in a worker; the moon is loaded on demand. */
import { calculateSunriseSunset, sunPosition, type Position } from "hamkit/locator";
import { calculateMoonriseMoonset, moonPosition, moonWindows } from "hamkit/moon";

/** For the map: from here, so that the moon's theory is in one file that both load. */
export { sublunarPoint } from "hamkit/moon";

export interface SkyQuestion {
  /** The own place first; at most two. */
  readonly places: readonly Position[];
  readonly date: Date;
}

export interface SkyFacts {
  readonly places: readonly PlaceSky[];
  /** In which both places see the moon; empty for one place. */
  readonly windows: readonly SkyWindow[];
}

/** Elevation and azimuth in degrees, without refraction. */
export interface Direction {
  readonly elevation: number;
  readonly azimuth: number;
}

/** When something rises or sets, and in which azimuth. */
export interface Crossing {
  readonly at: Date;
  readonly azimuth: number;
}

export interface PlaceSky {
  readonly sun: Direction;
  /** The next ones; `null` in polar day and night. */
  readonly sunrise: Crossing | null;
  readonly sunset: Crossing | null;
  readonly moon: Direction & { readonly distanceKm: number };
  readonly moonrise: Crossing | null;
  readonly moonset: Crossing | null;
}

export interface SkyWindow {
  readonly start: Date;
  readonly end: Date;
  /** The moon over each place in the middle of the window. */
  readonly middle: readonly Direction[];
}

const DAYS = 7;

export function skyOf({ places, date }: SkyQuestion): SkyFacts {
  const [own, other] = places;
  const windows =
    own === undefined || other === undefined ? [] : moonWindows(own, other, { start: date, days: DAYS });
  return {
    places: places.map((place) => placeSky(place, date)),
    windows: windows.map(({ start, end }) => {
      const middle = new Date((start.getTime() + end.getTime()) / 2);
      return { start, end, middle: places.map((place) => moonPosition(place, middle)) };
    }),
  };
}

function placeSky(place: Position, date: Date): PlaceSky {
  const { sunrise, sunset } = calculateSunriseSunset(place, date);
  const { moonrise, moonset } = calculateMoonriseMoonset(place, date);
  const crossing = (at: Date | null, body: typeof sunPosition) =>
    at && { at, azimuth: body(place, at).azimuth };
  return {
    sun: sunPosition(place, date),
    sunrise: crossing(sunrise, sunPosition),
    sunset: crossing(sunset, sunPosition),
    moon: moonPosition(place, date),
    moonrise: crossing(moonrise, moonPosition),
    moonset: crossing(moonset, moonPosition),
  };
}
