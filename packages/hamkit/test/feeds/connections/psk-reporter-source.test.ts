import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { Aedes } from "aedes";
import { afterEach, describe, expect, it } from "vitest";

import { pskReporterSource, type PskReporterFilter } from "../../../src/feeds.js";
import { createFeedOpener, take, type OpenedFeed } from "../../fixtures/open-feeds.js";

const feeds = createFeedOpener();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await feeds.close();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Broker {
  readonly url: string;
  readonly topics: string[];
  readonly sockets: Set<Socket>;
  publish(topic: string, payload: string | Buffer): Promise<void>;
}

/** A broker on this machine. */
async function startBroker(): Promise<Broker> {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const topics: string[] = [];
  aedes.on("subscribe", (subscriptions) => topics.push(...subscriptions.map(({ topic }) => topic)));
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    aedes.handle(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      aedes.close(resolve);
    });
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    topics,
    sockets,
    publish: (topic, payload) =>
      new Promise((resolve, reject) => {
        const packet = { cmd: "publish", topic, payload, qos: 0, retain: false, dup: false } as const;
        aedes.publish(packet, (failure) => (failure ? reject(failure) : resolve()));
      }),
  };
}

function open(filter: PskReporterFilter | PskReporterFilter[], url: string): OpenedFeed {
  return feeds.open(pskReporterSource({ filter, url }));
}

const REPORT = {
  sq: 1,
  f: 14_074_653,
  md: "FT8",
  rp: -5,
  t: 1_662_407_712,
  sc: "SP2EWQ",
  sl: "JO93fn",
  rc: "PA11674SWL",
  rl: "RR73",
  b: "20m",
};
const TOPIC = "pskr/filter/v2/20m/FT8/SP2EWQ/PA11674SWL/JO93/RR73/269/149";

describe("pskReporterSource", () => {
  it("subscribes with its filters, and makes spots of reports", async () => {
    const broker = await startBroker();
    const { feed, states } = open(
      [
        { band: "20m", mode: "ft8" },
        { sender: "dh1tw/p", receiverDxcc: 230 },
      ],
      broker.url,
    );
    await expect.poll(() => states.at(-1)?.state).toBe("connected");
    expect(broker.topics).toEqual([
      "pskr/filter/v2/20m/FT8/+/+/+/+/+/+",
      "pskr/filter/v2/+/+/DH1TW.P/+/+/+/+/230",
    ]);
    await broker.publish("pskr/filter/v2/40m/FT8/A/B/C/D/1/2", JSON.stringify({ ...REPORT, sc: "K1LOST" }));
    await broker.publish(TOPIC, JSON.stringify(REPORT));
    const [spot] = await take(feed, 1);
    expect(spot).toEqual({
      source: "PSK Reporter",
      time: new Date("2022-09-05T19:55:12Z"),
      frequencyKHz: 14_074.653,
      band: "20m",
      mode: "FT8",
      dx: "SP2EWQ",
      dxGrid: "JO93FN",
      spotter: "PA11674SWL",
      skimmer: true,
      comment: "",
      snrDb: -5,
    });
    await feed.close();
    await expect.poll(() => broker.sockets.size).toBe(0);
  });

  it("passes over payloads that are no reports", async () => {
    const broker = await startBroker();
    const { feed, states } = open({ band: "20m" }, broker.url);
    await expect.poll(() => states.at(-1)?.state).toBe("connected");
    const payloads = [
      "",
      "{",
      "null",
      "[]",
      Buffer.from([0xff, 0x00, 0xfe]),
      JSON.stringify({ ...REPORT, t: "soon" }),
      JSON.stringify({ ...REPORT, f: -1 }),
      JSON.stringify({ ...REPORT, sc: "<...>" }),
      JSON.stringify({ ...REPORT, sc: "x".repeat(10_000) }),
      `{"__proto__":{"sc":"K1EVIL"},"f":14074000,"t":1662407712,"md":"FT8"}`,
    ];
    for (const payload of payloads) await broker.publish(TOPIC, payload);
    await broker.publish(TOPIC, JSON.stringify(REPORT));
    expect((await take(feed, 1))[0]?.dx).toBe("SP2EWQ");
  });

  it("connects again where the broker closes the connection, or is not there", async () => {
    const broker = await startBroker();
    const { feed, states } = open({ band: "20m" }, broker.url);
    await expect.poll(() => states.at(-1)?.state).toBe("connected");
    for (const socket of broker.sockets) socket.resetAndDestroy();
    await expect
      .poll(() => states.map(({ state }) => state))
      .toEqual(["connecting", "connected", "waiting", "connecting", "connected"]);
    await broker.publish(TOPIC, JSON.stringify(REPORT));
    expect(await take(feed, 1)).toHaveLength(1);

    const { states: refused } = open({ band: "20m" }, "mqtt://127.0.0.1:1");
    await expect
      .poll(() => refused.find(({ state }) => state === "waiting"))
      .toMatchObject({
        error: { code: "io/failed", message: expect.stringContaining("ECONNREFUSED") as string },
      });
  });

  it("never subscribes to everything", () => {
    for (const filter of [{}, [], [{ band: "20m" }, {}]]) {
      expect(() => pskReporterSource({ filter })).toThrow(
        expect.objectContaining({ code: "argument/invalid", argument: "filter" }),
      );
    }
  });

  it.each([
    [{ band: "#" }, "filter.band"],
    [{ mode: "+" }, "filter.mode"],
    [{ sender: "A/+" }, "filter.sender"],
    [{ senderGrid: "JN48QM" }, "filter.senderGrid"],
    [{ senderDxcc: -1 }, "filter.senderDxcc"],
  ])("rejects a filter that is none: %j", (filter, argument) => {
    expect(() => pskReporterSource({ filter })).toThrow(expect.objectContaining({ argument }));
  });
});
