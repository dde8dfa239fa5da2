import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { activatorSource, type ActivatorProgram } from "../../../src/feeds.js";
import { fails, sends, startFileServer, type FileServer } from "../../fixtures/file-server.js";
import { createFeedOpener, take, type OpenedFeed } from "../../fixtures/open-feeds.js";

let server: FileServer;
const feeds = createFeedOpener();
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(async () => {
  await feeds.close();
  await server.close();
});

function open(program: ActivatorProgram, intervalMs = 10): OpenedFeed {
  const source = activatorSource(program, { url: server.url, intervalMs });
  return feeds.open(source, { duplicateWindowMs: 0 });
}

const pota = (activator: string, comments = "CQ") => ({
  spotId: 1,
  activator,
  frequency: "14062.5",
  mode: "CW",
  reference: "US-6653",
  spotTime: "2026-08-15T16:04:15",
  spotter: "W8EKM",
  comments,
  name: "Dansville State Game Land",
  grid6: "EN72um",
  latitude: 42.5,
  longitude: -84.3,
});
const sota = {
  id: 5,
  timeStamp: "2026-02-26T17:51:41",
  callsign: "RBNHOLE",
  associationCode: "DL",
  summitCode: "EW-017",
  activatorCallsign: "DL1ABC/P",
  frequency: "14,0625",
  mode: "cw",
};
const wwff = {
  id: 7,
  activator: "WB8MIW",
  frequency_khz: 7046,
  mode: "ssb",
  reference: "KFF-2482",
  spotter: "WE9V",
  spot_time: 1_778_777_319,
};

describe("activatorSource", () => {
  it("reads spots, the oldest first, and only new ones of the next answers", async () => {
    const first = [pota("K2NEW"), pota("K1OLD")];
    const second = [pota("K3LATER"), pota("K2NEW", "QRT"), ...first];
    server.answers = [sends(JSON.stringify(first)), sends(JSON.stringify(second))];
    const { feed } = open("POTA");
    const spots = await take(feed, 4);
    expect(spots.map(({ dx, qrt = false }) => [dx, qrt])).toEqual([
      ["K1OLD", false],
      ["K2NEW", false],
      ["K2NEW", true],
      ["K3LATER", false],
    ]);
    expect(spots[0]).toMatchObject({
      source: "POTA",
      time: new Date("2026-08-15T16:04:15Z"),
      frequencyKHz: 14_062.5,
      mode: "CW",
      references: ["POTA US-6653"],
      position: [42.5, -84.3],
      dxGrid: "EN72UM",
    });
    await expect.poll(() => server.requests.length).toBeGreaterThan(4);
    const more = await Promise.race([take(feed, 1), new Promise((resolve) => setTimeout(resolve, 30))]);
    expect(more).toBeUndefined();
  });

  it.each([
    ["SOTA", sota, { dx: "DL1ABC/P", frequencyKHz: 14_062.5, mode: "CW", references: ["SOTA DL/EW-017"] }],
    ["WWFF", wwff, { dx: "WB8MIW", frequencyKHz: 7046, mode: "SSB", references: ["WWFF KFF-2482"] }],
  ] as const)("reads spots of %s", async (program, spot, expected) => {
    server.answers = [sends(JSON.stringify([spot]))];
    expect((await take(open(program).feed, 1))[0]).toMatchObject(expected);
  });

  it("asks with validators, and takes 304 for no news", async () => {
    server.answers = [sends(JSON.stringify([pota("K1ABC")]), { etag: '"1"' })];
    const { feed } = open("POTA");
    expect(await take(feed, 1)).toHaveLength(1);
    await expect.poll(() => server.requests.at(-1)?.headers["if-none-match"]).toBe('"1"');
  });

  it("goes on after failures, not sooner than after its interval, and reports no spot twice", async () => {
    const answer = sends(JSON.stringify([pota("K1ABC")]));
    const later = sends(JSON.stringify([pota("K2ABC"), pota("K1ABC")]));
    server.answers = [
      answer,
      fails(503),
      fails(404),
      sends("<html>maintenance</html>"),
      sends('{"message":"no"}'),
      (request) => request.socket.destroy(),
      later,
    ];
    const { feed, states } = open("POTA", 20);
    expect((await take(feed, 2)).map(({ dx }) => dx)).toEqual(["K1ABC", "K2ABC"]);
    const waiting = states.flatMap((state) => (state.state === "waiting" ? [state] : []));
    expect(waiting.map(({ delayMs }) => delayMs)).toEqual([20, 40, 80, 160, 320]);
    expect(waiting.map(({ error }) => String(error))).toEqual([
      expect.stringContaining("HTTP 503"),
      expect.stringContaining("HTTP 404"),
      expect.stringContaining("is not JSON"),
      expect.stringContaining("is not an array of spots"),
      expect.stringContaining("network failed"),
    ]);
  });

  it("passes over rows that are no spots", async () => {
    const rows = [pota("K1ABC"), null, 1, "x", {}, [], { ...pota("K2ABC"), frequency: "" }, { ...pota("?") }];
    server.answers = [sends(JSON.stringify([...rows, { ...pota("K3ABC"), invalid: true }]))];
    expect((await take(open("POTA").feed, 1))[0]?.dx).toBe("K1ABC");
  });

  it("ends with its signal during a request", async () => {
    server.answers = [() => {}];
    const { feed } = open("POTA");
    await expect.poll(() => server.requests.length).toBe(1);
    const closed = feed.close();
    const started = Date.now();
    await closed;
    expect(Date.now() - started).toBeLessThan(2000);
  });

  it("is courteous to the services", () => {
    expect(() => activatorSource("POTA", { intervalMs: 59_999 })).toThrow("from 60000 to");
    expect(() => activatorSource("WWFF", { intervalMs: 29_999 })).toThrow("from 30000 to");
    expect(() => activatorSource("SOTA", { intervalMs: 1 })).toThrow("intervalMs");
    expect(activatorSource("SOTA", { intervalMs: 60_000 }).name).toBe("SOTA");
    expect(() => activatorSource("toString" as "POTA")).toThrow('"POTA", "SOTA" or "WWFF"');
  });
});
