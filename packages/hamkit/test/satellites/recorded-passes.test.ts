/** Passes, ranges and Doppler as skyfield computes them (shared/hamkit/later/satellites/passes.json). */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { downlinkHeard, parseElements, trackSatellite, type SatelliteLook } from "../../src/satellites.js";

const FILE = new URL("../../../../../shared/hamkit/later/satellites/passes.json", import.meta.url);

interface RecordedLook {
  readonly time: string;
  readonly azimuth: number;
  readonly elevation: number;
  readonly rangeKm: number;
}

interface Recorded {
  readonly name: string;
  readonly line1: string;
  readonly line2: string;
  readonly epoch: string;
  readonly station: { readonly lat: number; readonly lon: number; readonly altitudeM: number };
  readonly subpointAtEpoch: { readonly lat: number; readonly lon: number; readonly heightKm: number };
  readonly passes: readonly Readonly<Record<"rise" | "culminate" | "set", RecordedLook>>[];
  readonly doppler: readonly {
    readonly time: string;
    readonly rangeRateKmS: number;
    readonly downlinkHz: number;
    readonly observedHz: number;
  }[];
}

const satellites = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as readonly Recorded[]) : [];

async function track({ name, line1, line2 }: Recorded) {
  const [elements] = parseElements([name, line1, line2].join("\n")).satellites;
  if (elements === undefined) throw new RangeError(name);
  return trackSatellite(elements);
}

/** Where it is highest, the azimuth of a pass through the zenith turns by degrees in a second. */
function compare(look: SatelliteLook | undefined, recorded: RecordedLook, isHigh = false): void {
  expect(Math.abs((look?.time.getTime() ?? 0) - Date.parse(recorded.time))).toBeLessThanOrEqual(1000);
  expect(Math.abs((look?.elevation ?? 0) - recorded.elevation)).toBeLessThanOrEqual(0.1);
  expect(Math.abs((look?.rangeKm ?? 0) - recorded.rangeKm)).toBeLessThanOrEqual(isHigh ? 1 : 7.5);
  if (recorded.elevation > 80) return;
  const turn = Math.abs((look?.azimuth ?? 0) - recorded.azimuth);
  expect(Math.min(turn, 360 - turn)).toBeLessThanOrEqual(isHigh ? 0.6 : 0.1);
}

describe.skipIf(satellites.length === 0)("a satellite", () => {
  it.each(satellites)(
    "passes when skyfield says, to a second and a tenth of a degree: $name",
    async (recorded) => {
      const tracker = await track(recorded);
      const { lat: latitude, lon: longitude, altitudeM } = recorded.station;
      const passes = tracker.passes({ latitude, longitude, altitudeM }, { from: new Date(recorded.epoch) });
      expect(passes).toHaveLength(recorded.passes.length);
      for (const [index, { rise, culminate, set }] of recorded.passes.entries()) {
        compare(passes[index]?.rise, rise);
        compare(passes[index]?.culmination, culminate, true);
        compare(passes[index]?.set, set);
      }
    },
  );

  it.each(satellites)(
    "is at the same place, range and Doppler at the same moment: $name",
    async (recorded) => {
      const tracker = await track(recorded);
      const { lat: latitude, lon: longitude, altitudeM } = recorded.station;
      const observer = { latitude, longitude, altitudeM };
      const below = tracker.look(new Date(recorded.epoch), observer);
      expect(below?.latitude).toBeCloseTo(recorded.subpointAtEpoch.lat, 1);
      expect(below?.longitude).toBeCloseTo(recorded.subpointAtEpoch.lon, 1);
      expect(Math.abs((below?.heightKm ?? 0) - recorded.subpointAtEpoch.heightKm)).toBeLessThan(1);
      for (const { rise, culminate, set } of recorded.passes)
        for (const moment of [rise, culminate, set]) {
          const look = tracker.look(new Date(moment.time), observer);
          // Near the zenith it moves by a degree a second.
          const limit = moment.elevation > 80 ? 0.6 : 0.1;
          expect(Math.abs((look?.elevation ?? 0) - moment.elevation)).toBeLessThanOrEqual(limit);
          // The moments are rounded to seconds.
          const moved = Math.abs(look?.rangeRateKmS ?? 0) / 2;
          expect(Math.abs((look?.rangeKm ?? 0) - moment.rangeKm)).toBeLessThanOrEqual(1 + moved);
          if (moment.elevation > 80) continue;
          const turn = Math.abs((look?.azimuth ?? 0) - moment.azimuth);
          // At the top of a pass it turns by up to two degrees a second.
          expect(Math.min(turn, 360 - turn)).toBeLessThanOrEqual(moment === culminate ? 1 : 0.1);
        }
      expect(recorded.doppler.length).toBeGreaterThan(0);
      for (const { time, downlinkHz, observedHz, rangeRateKmS } of recorded.doppler) {
        const look = tracker.look(new Date(time), observer);
        expect(look?.rangeRateKmS).toBeCloseTo(rangeRateKmS, 2);
        expect(Math.abs(downlinkHeard(downlinkHz, look?.rangeRateKmS ?? 0) - observedHz)).toBeLessThanOrEqual(
          5,
        );
      }
    },
  );
});
