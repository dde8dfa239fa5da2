import { afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  createSpotFilter,
  lineSource,
  openFeed,
  type FeedSource,
  type FeedSpot,
  type OpenFeedOptions,
} from "../../../src/feeds.js";
import { LoginError } from "../../../src/errors.js";
import { loadEmbeddedCountryFile, type TableSource } from "../../../src/lookup.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

let table: TableSource;
beforeAll(async () => {
  table = await loadEmbeddedCountryFile();
});

const line = (dx: string, kilohertz = "14025.0", spotter = "DH1TW"): string =>
  `DX de ${spotter}: ${kilohertz} ${dx} cq 1201Z`;

async function collect(sources: readonly FeedSource[], options: OpenFeedOptions = {}): Promise<FeedSpot[]> {
  const spots: FeedSpot[] = [];
  for await (const spot of openFeed(sources, options)) spots.push(spot);
  return spots;
}

async function* endless(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
  await new Promise(() => {});
}

describe("openFeed", () => {
  it("merges sources, and drops what several of them have", async () => {
    const one = lineSource([line("W1AW"), line("JA1ABC")], { name: "one" });
    const other = lineSource([line("W1AW"), line("JA1ABC", "14025.9"), line("ZL1AA")], { name: "other" });
    const feed = openFeed([one, other]);
    const calls: string[] = [];
    for await (const { dx } of feed) calls.push(dx);
    expect(calls.sort()).toEqual(["JA1ABC", "W1AW", "ZL1AA"]);
    expect(feed.duplicates).toBe(2);
  });

  it("looks up both stations, from the places that a spot has", async () => {
    const raw = {
      activator: "JA1ABC",
      frequency: "14025",
      mode: "USB",
      reference: "JP-0001",
      spotTime: "2026-03-22T12:01:00",
      spotter: "DH1TW",
      latitude: 35.5,
      longitude: 139.75,
    };
    const [spot] = await collect([lineSource([raw], { name: "x" })], { table, locator: "JN48QM" });
    expect(spot).toMatchObject({
      mode: "SSB",
      dxStation: { country: "Japan", adif: 339, continent: "AS", cqz: 25, latitude: 35.5, longitude: 139.75 },
      spotterStation: { country: "Fed. Rep. of Germany", cqz: 14 },
    });
    // By the haversine formula on 6371 km, from 48.5208° N 9.375° E.
    expect(spot?.dxStation?.distanceKm).toBeCloseTo(9460.521, 2);
  });

  it("has no place for stations at sea, and no station for unknown calls", async () => {
    const lines = [line("9H1XYZ/MM"), line("QQ0QQ")];
    const [atSea, unknown] = await collect([lineSource(lines, { name: "x" })], { table, locator: "JN48" });
    expect(atSea?.dxStation).toEqual({
      country: "MARITIME MOBILE",
      adif: 999,
      continent: "",
    });
    expect(unknown).not.toHaveProperty("dxStation");
    expect(unknown?.spotterStation?.country).toBe("Fed. Rep. of Germany");
  });

  it("converts what is in MHz, and tells the mode by the band plan where a spot has none", async () => {
    const lines = [
      "DX de DH1TW: 14.205 W1AW loud 1201Z",
      "DX de DH1TW: 14075.0 W2AW x 1201Z",
      line("W3AW", "13500.0"),
    ];
    expect(await collect([lineSource(lines, { name: "x" })])).toMatchObject([
      { frequencyKHz: 14_205, band: "20m", mode: "SSB", modeAssumed: true },
      { frequencyKHz: 14_075, mode: "DIGITAL", modeAssumed: true },
      { frequencyKHz: 13_500 },
    ]);
  });

  it("filters by what was looked up", async () => {
    const lines = [line("W1AW"), line("JA1ABC"), line("JA2ABC", "7025.0"), line("DL1ABC")];
    const filter = createSpotFilter({ bands: ["20m"], dxContinents: ["AS", "NA"], calls: ["J*"] });
    const spots = await collect([lineSource(lines, { name: "x" })], { table, filter });
    expect(spots.map(({ dx }) => dx)).toEqual(["JA1ABC"]);
  });

  it("waits for a slow reader where the source can wait, and loses nothing", async () => {
    const lines = Array.from({ length: 500 }, (_, index) => line(`DL${index % 10}A${index}`));
    const feed = openFeed([lineSource(lines, { name: "x" })], { maxQueued: 10 });
    let count = 0;
    for await (const _ of feed) {
      if (count++ % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect({ count, dropped: feed.dropped }).toEqual({ count: 500, dropped: 0 });
  });

  it("passes other items on", async () => {
    const heard: unknown[] = [];
    const lines = ["login:", "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms", "To ALL de DH1TW: hi"];
    await collect([lineSource(lines, { name: "x" })], {
      onItem: ({ kind }, source) => heard.push([kind, source]),
    });
    expect(heard).toEqual([
      ["wwv", "x"],
      ["announcement", "x"],
    ]);
  });

  it.each(["filter", "onItem", "onState"])("throws what its caller's %s throws", async (name) => {
    const fails = (): never => {
      throw new Error("a mistake");
    };
    const lines = ["To ALL de DH1TW: hi", line("W1AW")];
    await expect(collect([lineSource(lines, { name: "x" })], { [name]: fails })).rejects.toThrow("a mistake");
  });

  it("throws the failure of the first source if all fail for good, and goes on with the others if not", async () => {
    const rejected: FeedSource = {
      name: "rejected",
      connect: () => Promise.reject(new LoginError("rejected", "no")),
    };
    await expect(collect([rejected, rejected])).rejects.toThrow("rejected: no");
    expect(await collect([rejected, lineSource([line("W1AW")], { name: "x" })])).toHaveLength(1);
  });

  it("ends with its signal where a source never does", async () => {
    const controller = new AbortController();
    const feed = openFeed([lineSource(endless([line("W1AW")]), { name: "x" })], {
      signal: controller.signal,
    });
    const heard: string[] = [];
    for await (const { dx } of feed) {
      heard.push(dx);
      setTimeout(() => controller.abort(), 5);
    }
    expect(heard).toEqual(["W1AW"]);
    await feed.close();
    expect(() => openFeed([lineSource([], { name: "x" })], { signal: controller.signal })).toThrow("aborted");
  });

  it("continues in the next loop", async () => {
    const feed = openFeed([lineSource(endless([line("W1AW"), line("W2AW")]), { name: "x" })]);
    cleanups.push(() => feed.close());
    const heard: string[] = [];
    for (let loop = 0; loop < 2; loop++) {
      for await (const { dx } of feed) {
        heard.push(dx);
        break;
      }
    }
    expect(heard).toEqual(["W1AW", "W2AW"]);
  });

  it("throws what a source of lines throws, after the lines before", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield line("W1AW");
      throw new Error("EIO");
    }
    const heard: string[] = [];
    const reading = (async () => {
      for await (const { dx } of openFeed([lineSource(broken(), { name: "x" })])) heard.push(dx);
    })();
    await expect(reading).rejects.toThrow("EIO");
    expect(heard).toEqual(["W1AW"]);
  });

  it.each<[string, OpenFeedOptions]>([
    ["maxQueued", { maxQueued: 0 }],
    ["duplicateWindowMs", { duplicateWindowMs: -1 }],
    ["maxRemembered", { maxRemembered: Number.NaN }],
    ["maxRetryDelayMs", { maxRetryDelayMs: 0 }],
    ["locator", { locator: "ZZ99" }],
    ["locator", { locator: "JN48" }], // without a table
  ])("rejects a %s: %j", (argument, options) => {
    expect(() => openFeed([lineSource([], { name: "x" })], options)).toThrow(
      expect.objectContaining({ argument }),
    );
  });

  it("rejects what is no source and no table", () => {
    for (const sources of [[], [undefined], "x", undefined]) {
      expect(() => openFeed(sources as unknown as FeedSource[])).toThrow(
        expect.objectContaining({ argument: "sources" }),
      );
    }
    const promise = loadEmbeddedCountryFile() as unknown as TableSource;
    expect(() => openFeed([lineSource([], { name: "x" })], { table: promise })).toThrow("await it");
    expect(() => lineSource("DX de", { name: "x" })).toThrow("an iterable of lines");
  });
});
