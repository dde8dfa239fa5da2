import type { IncomingMessage, ServerResponse } from "node:http";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventOfSpot, eventStreamSource, type FeedSpot } from "../../../src/feeds.js";
import { createEventParser, type StreamEvent } from "../../../src/io/sockets/event-stream.js";
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

const SPOT: FeedSpot = {
  source: "a node",
  time: new Date("2026-03-22T12:01:00Z"),
  frequencyKHz: 14_025,
  band: "20m",
  mode: "CW",
  modeAssumed: true,
  dx: "JA1ABC",
  spotter: "DH1TW",
  skimmer: false,
  comment: "señal <b>59</b>",
  snrDb: -3,
  wpm: 25,
  qsxKHz: 14_030,
  dxGrid: "PM95",
  spotterGrid: "JN48",
  position: [35.5, 139.7],
  references: ["IOTA AS-007"],
  qrt: true,
  dxStation: {
    country: "Japan",
    adif: 339,
    continent: "AS",
    cqz: 25,
    ituz: 45,
    latitude: 35.5,
    longitude: 139.7,
    distanceKm: 9300,
    heading: 40,
  },
};

function events(...texts: readonly (string | Uint8Array)[]) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const text of texts) response.write(text);
  };
}

function open(timeoutMs?: number): OpenedFeed {
  return feeds.open(eventStreamSource({ url: server.url, timeoutMs }));
}

describe("eventStreamSource", () => {
  it("reads what eventOfSpot writes, every member of it", async () => {
    server.answers = [events(":\n\nretry: 3000\n\n", eventOfSpot(SPOT, 1))];
    expect(await take(open().feed, 1)).toEqual([SPOT]);
  });

  it("continues after the last event that it received", async () => {
    const end = (_: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(eventOfSpot(SPOT, 41));
    };
    server.answers = [end, events(eventOfSpot({ ...SPOT, dx: "JA2ABC" }, 42))];
    const { feed, states } = open();
    expect((await take(feed, 2)).map(({ dx }) => dx)).toEqual(["JA1ABC", "JA2ABC"]);
    expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "41"]);
    expect(states[2]).toMatchObject({
      error: { message: expect.stringContaining("ended the stream") as string },
    });
  });

  it("does not send back an id that no header can have", async () => {
    const end = (_: IncomingMessage, response: ServerResponse): void => {
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`${eventOfSpot(SPOT, 41)}id: 山\ndata: x\n\nid: a\u0000b\ndata: x\n\n`);
    };
    server.answers = [end, events(eventOfSpot({ ...SPOT, dx: "JA2ABC" }, 42))];
    expect((await take(open().feed, 2)).map(({ dx }) => dx)).toEqual(["JA1ABC", "JA2ABC"]);
    expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "41"]);
  });

  it.each(["", "cluster.example.net", "ftp://x/", "http://user:secret@x/", "/events"])(
    "rejects the address %j, which no attempt could reach",
    (url) => {
      expect(() => eventStreamSource({ url })).toThrow("url: ");
      expect(() => eventStreamSource({ url: 5 as never })).toThrow("url: 5 is not an http or https address");
    },
  );

  it("passes over events that are no spots", async () => {
    const bad = [
      "",
      "{",
      "null",
      "[]",
      "{}",
      JSON.stringify({ ...SPOT, dx: 1 }),
      JSON.stringify({ ...SPOT, time: "soon" }),
      JSON.stringify({ ...SPOT, frequencyKHz: -1 }),
      `{"__proto__":${JSON.stringify(SPOT)}}`,
      JSON.stringify({ ...SPOT, dx: "<b>x" }),
    ];
    const partly = {
      ...SPOT,
      comment: 5,
      dxGrid: "ZZ99",
      position: [100, 0],
      references: "x",
      dxStation: { country: 1 },
    };
    server.answers = [
      events(...bad.map((data) => `data: ${data}\n\n`), eventOfSpot(partly as unknown as FeedSpot, 1)),
    ];
    const [spot] = await take(open().feed, 1);
    expect(spot).toMatchObject({ dx: "JA1ABC", comment: "" });
    for (const member of ["dxGrid", "position", "references", "dxStation"])
      expect(spot).not.toHaveProperty(member);
  });

  it.each([
    [fails(500), "HTTP 500", undefined],
    [sends("<html>", { "content-type": "text/html" }), "content of the type text/html", undefined],
    [
      (request: IncomingMessage) => request.socket.destroy(),
      "the network failed: other side closed",
      undefined,
    ],
    [events(), "no data received for 300 ms", 300],
  ])("connects again after failures: %#", async (answer, message, timeoutMs) => {
    server.answers = [answer, events(eventOfSpot(SPOT, 1))];
    const { feed, states } = open(timeoutMs);
    expect(await take(feed, 1)).toHaveLength(1);
    expect(
      String((states[states.findIndex(({ state }) => state === "waiting")] as { error: unknown }).error),
    ).toContain(message);
  });

  it("ends with its feed", async () => {
    server.answers = [events(eventOfSpot(SPOT, 1))];
    const { feed } = open();
    await take(feed, 1);
    await feed.close();
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    if (server.requests[0]?.socket.destroyed === false) await closed;
    expect(await take(feed, 1)).toEqual([]);
  });
});

describe("createEventParser", () => {
  function parse(pieces: readonly string[]): StreamEvent[] {
    const found: StreamEvent[] = [];
    const parser = createEventParser((event) => found.push(event));
    for (const piece of pieces) parser.read(piece);
    return found;
  }

  it("reads every kind of line end, also in pieces", () => {
    const text = "id: 7\r\ndata: a\r\ndata:b\r\n\r\ndata: c\n\ndata\n\n: comment\rdata: d\r\rx";
    const expected = [
      { data: "a\nb", id: "7" },
      { data: "c", id: "7" },
      { data: "", id: "7" },
      { data: "d", id: "7" },
    ];
    expect(parse([text])).toEqual(expected);
    expect(parse(text.split(""))).toEqual(expected);
  });

  it("leaves out events that are too large, in bounded memory", () => {
    const large = "x".repeat(60_000);
    expect(parse([`data: ${large}\n`, `data: ${large}\n\n`, "data: a\n\n"])).toEqual([
      { data: "a", id: undefined },
    ]);
    expect(parse(["data: ", large, large, large, "\n\n", "data: a\n\n"])).toEqual([
      { data: "a", id: undefined },
    ]);
  });
});
