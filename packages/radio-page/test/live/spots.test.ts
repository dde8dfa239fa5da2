import { describe, expect, it } from "vitest";

import type { LiveSpot } from "../../src/live/live-spot.js";
import { ALL_SPOTS } from "../../src/live/spot-filter.js";
import { ageClass, spotAt, spotPoint } from "../../src/live/spot-points.js";
import { createSpotStore, MAX_AGE_MS, MAX_SPOTS } from "../../src/live/spot-store.js";
import { stateText } from "../../src/live/SourceList.js";
import { pointOf, wholeWorld } from "../../src/map/map-geometry.js";

const NOON = Date.UTC(2026, 10, 28, 12);
let count = 0;
const spot = (more: Partial<LiveSpot> = {}): LiveSpot => ({
  id: ++count,
  time: NOON,
  dx: "JA1ABC",
  frequencyKHz: 14_025,
  band: "20m",
  mode: "CW",
  country: "Japan",
  spotterContinent: "EU",
  spotter: "DL1ABC",
  snrDb: 12,
  comment: "",
  source: "RBN",
  dxGrid: undefined,
  references: undefined,
  latitude: 36,
  longitude: 138,
  isExact: false,
  needed: undefined,
  ...more,
});

describe("the store of spots", () => {
  it("has the newest of them, in bounded number", () => {
    const store = createSpotStore();
    for (let round = 0; round < 30; round++) store.add(Array.from({ length: 400 }, () => spot()));
    expect(store.spots.length).toBe(MAX_SPOTS);
    expect(store.shown(ALL_SPOTS)[0]?.id).toBe(count);
  });

  it("drops spots after an hour", () => {
    const store = createSpotStore();
    store.add([spot({ time: NOON - MAX_AGE_MS }), spot()]);
    expect(store.expire(NOON)).toBe(false);
    expect(store.expire(NOON + 1)).toBe(true);
    expect(store.spots.length).toBe(1);
    expect(store.expire(NOON + MAX_AGE_MS + 1)).toBe(true);
    expect(store.shown(ALL_SPOTS)).toEqual([]);
  });

  it("filters by band, mode, continent of the spotter and need, all together", () => {
    const store = createSpotStore();
    const needed = [{ text: "New entity", isNew: true }];
    store.add([
      spot({ dx: "A" }),
      spot({ dx: "B", band: "40m", needed }),
      spot({ dx: "C", mode: "FT8", spotterContinent: "NA", needed: [] }),
      spot({ dx: "D", band: "40m", mode: "FT8", spotterContinent: "NA" }),
    ]);
    const shown = (filter: Partial<typeof ALL_SPOTS>) =>
      store
        .shown({ ...ALL_SPOTS, ...filter })
        .map(({ dx }) => dx)
        .join("");
    expect(shown({})).toBe("DCBA");
    expect(shown({ bands: ["40m"] })).toBe("DB");
    expect(shown({ bands: ["40m", "20m"], modes: ["FT8"] })).toBe("DC");
    expect(shown({ continents: ["EU"] })).toBe("BA");
    expect(shown({ isNeeded: true })).toBe("B");
    expect(shown({ bands: ["40m"], continents: ["EU"], modes: ["FT8"] })).toBe("");
    expect(store.counts().bands).toEqual([
      { name: "40m", qsos: 2 },
      { name: "20m", qsos: 2 },
    ]);
    store.setNeeded(new Map([[store.spots[0]?.id ?? 0, needed]]));
    expect(shown({ isNeeded: true })).toBe("BA");
  });

  it("returns the same list while nothing has changed: nothing is drawn again", () => {
    const store = createSpotStore();
    store.add([spot()]);
    const before = store.shown(ALL_SPOTS);
    expect(store.shown(ALL_SPOTS)).toBe(before);
    store.add([spot()]);
    expect(store.shown(ALL_SPOTS)).not.toBe(before);
  });
});

describe("spots on the map", () => {
  const home = { latitude: 48.5, longitude: 9.4 };
  const view = wholeWorld({ projection: "equirectangular", width: 1440, height: 700, home });

  it("fade at 5, 15 and 30 minutes", () => {
    const at = (minutes: number) => ageClass(NOON - minutes * 60_000, NOON);
    expect([0, 4.9, 5, 14.9, 15, 29.9, 30, 60].map(at)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(at(-1)).toBe(0); // of a clock that is ahead
  });

  it("are at their locator, or near the middle of their country, each call always at the same point", () => {
    const exact = spot({ isExact: true });
    const place = pointOf(view, { latitude: 36, longitude: 138 });
    expect(spotPoint(view, exact)).toEqual(place);
    const points = ["JA1ABC", "JA1ABC", "JA7XYZ"].map((dx) => spotPoint(view, spot({ dx })));
    expect(points[0]).toEqual(points[1]);
    expect(points[0]).not.toEqual(points[2]);
    for (const point of points) {
      const away = Math.hypot((point?.x ?? 0) - place.x, (point?.y ?? 0) - place.y);
      expect(away).toBeLessThanOrEqual(9);
    }
    expect(spotPoint(view, spot({ latitude: undefined, longitude: undefined }))).toBeUndefined();
  });

  it("are clicked: the nearest one, the newest of those at one point, none farther than some pixels", () => {
    const spots = [
      spot({ dx: "NEW", isExact: true }),
      spot({ dx: "OLD", isExact: true }),
      spot({ dx: "FAR", isExact: true, longitude: 140 }),
    ];
    const { x, y } = pointOf(view, { latitude: 36, longitude: 138 });
    expect(spotAt(view, spots, { x: x + 2, y })?.dx).toBe("NEW");
    expect(spotAt(view, spots, { x: x + 7, y })?.dx).toBe("FAR");
    expect(spotAt(view, spots, { x, y: y + 20 })).toBeUndefined();
  });
});

describe("the state of a source", () => {
  it.each([
    [{ state: "connected" }, "connected, no spots yet"],
    [{ state: "connected", lastSpotAt: NOON - 60_000 }, "connected, last spot 11:59"],
    [{ state: "waiting", retryAt: NOON + 19_500 }, "reconnecting in 20 s"],
    [{ state: "waiting", retryAt: NOON - 1, lastSpotAt: NOON }, "reconnecting in 0 s, last spot 12:00"],
    [{ state: "failed", problem: "login refused" }, "failed: login refused"],
    [{ state: "ended" }, "ended"],
  ] as const)("%j: %s", (source, expected) => {
    expect(stateText({ source: "RBN", ...source }, NOON)).toBe(expected);
  });
});
