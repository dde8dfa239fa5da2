import type { Socket } from "node:net";

import { afterEach, describe, expect, it, vi } from "vitest";

import {
  clusterSource,
  rbnSource,
  type ClusterSourceOptions,
  type OpenFeedOptions,
} from "../../../src/feeds.js";
import { node, sendPieces, startClusterServer, type ClusterServer } from "../../fixtures/cluster-server.js";
import { createFeedOpener, take, type OpenedFeed } from "../../fixtures/open-feeds.js";

const feeds = createFeedOpener();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await feeds.close();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const line = (dx: string, comment = "cq", kilohertz = "14025.0"): string =>
  `DX de DH1TW:    ${kilohertz.padStart(8)}  ${dx.padEnd(12)} ${comment.padEnd(30)} 1201Z`;

async function serve(...behaviors: ((socket: Socket) => void)[]): Promise<ClusterServer> {
  const server = await startClusterServer(...behaviors);
  cleanups.push(() => server.close());
  return server;
}

function open(
  { port }: ClusterServer,
  source: Partial<ClusterSourceOptions> = {},
  options: OpenFeedOptions = {},
): OpenedFeed {
  return feeds.open(clusterSource({ host: "127.0.0.1", port, call: "N0CALL", ...source }), options);
}

describe("clusterSource", () => {
  it("logs in at a prompt without a line end, sends commands, and reads spots and other items", async () => {
    const wwv = "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms -> No Storms";
    const server = await serve(node(line("W1AW"), wwv, "login:", line("JA1ABC", "FT8 -12dB")));
    const { feed, states, items } = open(server, { commands: ["set/ve7cc", "show/dx 5"] });
    const spots = await take(feed, 2);
    expect(spots).toMatchObject([
      { source: `127.0.0.1:${server.port}`, dx: "W1AW", spotter: "DH1TW", band: "20m", mode: "CW" },
      { dx: "JA1ABC", mode: "FT8", snrDb: -12 },
    ]);
    expect(spots[0]?.modeAssumed).toBe(true);
    expect(spots[1]?.modeAssumed).toBeUndefined();
    expect(items).toMatchObject([{ kind: "wwv", sfi: 120 }]);
    await expect.poll(() => server.received).toBe("N0CALL\r\nset/ve7cc\r\nshow/dx 5\r\n");
    expect(states.map(({ state }) => state)).toEqual(["connecting", "connected"]);
    await feed.close();
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("joins half lines, prompts in pieces too, and answers each prompt once", async () => {
    const whole = `${line("W1AW")}\r\n${line("JA1ABC")}\r\n`;
    const server = await serve((socket) => {
      void sendPieces(socket, ["log", "in:", " "]);
      // The next line follows the prompt without a line end between them.
      socket.once("data", () => {
        void sendPieces(socket, ["N0CALL\r\nHello\r\n", "N0CALL de GB7", "DJK 1201Z >", ...whole.split("")]);
      });
    });
    const { feed } = open(server);
    expect((await take(feed, 2)).map(({ dx }) => dx)).toEqual(["W1AW", "JA1ABC"]);
    expect(server.received).toBe("N0CALL\r\n");
  });

  it.each([
    ["DXSpider", "login: "],
    ["AR-Cluster", "Please enter your call: "],
    ["CC Cluster", "Please enter your callsign:"],
    ["the Reverse Beacon Network", "Please enter your call:"],
    ["a prompt with a line end", "Enter your call sign >\r\n"],
  ])("answers the prompt of %s", async (_, prompt) => {
    const server = await serve((socket) => {
      socket.write(`hello\r\n${prompt}`);
      socket.once("data", () => socket.write(`${line("W1AW")}\r\n`));
    });
    expect(await take(open(server).feed, 1)).toHaveLength(1);
    expect(server.received).toBe("N0CALL\r\n");
  });

  it("sends the password where it is asked for one, and shows it in no failure", async () => {
    const server = await serve((socket) => {
      void sendPieces(socket, ["login: "]);
      socket.once("data", () => {
        void sendPieces(socket, ["\u00ff\u00fb\u0001password: "]);
        socket.once("data", () => void sendPieces(socket, ["\r\npassword: "]));
      });
    });
    const { feed, states } = open(server, { password: "secret word" });
    await expect(take(feed, 1)).rejects.toThrow(
      expect.objectContaining({
        code: "login/refused",
        message: expect.stringContaining("rejected the password") as string,
      }),
    );
    expect(server.received).toContain("N0CALL\r\n");
    expect(server.received).toContain("secret word\r\n");
    expect(states.at(-1)?.state).toBe("failed");
    expect(JSON.stringify(states, ["message", "error", "service"])).not.toContain("secret");
  });

  it.each([
    ["asks for a password", "password: ", "asks for a password of N0CALL"],
    [
      "rejects the call",
      "Sorry N0CALL is an invalid callsign\r\n",
      "rejected the login of N0CALL: Sorry N0CALL is an invalid",
    ],
    ["asks again", "\r\nlogin: ", "did not accept the call N0CALL"],
  ])("fails for good where the node %s", async (_, answer, message) => {
    const server = await serve((socket) => {
      socket.write("login: ");
      socket.once("data", () => void sendPieces(socket, [answer]));
    });
    const { feed } = open(server);
    await expect(take(feed, 1)).rejects.toThrow(message);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(server.count).toBe(1);
  });

  it("comes again where the call is still connected from before", async () => {
    const busy = (socket: Socket) => {
      socket.write("login: ");
      socket.once("data", () => socket.write("Sorry N0CALL you are already connected\r\n"));
    };
    const server = await serve(busy, node(line("W1AW")));
    const { feed, states } = open(server);
    expect(await take(feed, 1)).toHaveLength(1);
    expect(states.map(({ state }) => state)).toEqual(["connecting", "waiting", "connecting", "connected"]);
  });

  it("connects again after a reset, an end and a refusal, with delays that double", async () => {
    const reset = (socket: Socket) => socket.resetAndDestroy();
    const end = (socket: Socket) => socket.end("login: ");
    const half = (socket: Socket) => socket.end(line("W2LOST").slice(0, 40));
    const server = await serve(reset, end, half, node(line("W1AW")));
    const { feed, states } = open(server);
    expect((await take(feed, 1)).map(({ dx }) => dx)).toEqual(["W1AW"]);
    const delays = states.flatMap((state) => (state.state === "waiting" ? [state.delayMs] : []));
    expect(delays).toEqual([10, 20, 40]);
    for (const state of states) {
      if (state.state !== "waiting") continue;
      expect(state.error).toMatchObject({
        code: "io/failed",
        message: expect.stringContaining(`:${server.port}: `) as string,
      });
    }
  });

  it("adds up to half of the delay at random, up to the longest one", async () => {
    const server = await serve((socket) => socket.destroy());
    const { states } = open(server, {}, { random: () => 1, maxRetryDelayMs: 30 });
    const delays = () => states.flatMap((state) => (state.state === "waiting" ? [state.delayMs] : []));
    await expect.poll(() => delays().length).toBeGreaterThan(3);
    expect(delays().slice(0, 4)).toEqual([15, 30, 45, 45]);
  });

  it("passes a flood without line ends over, and continues with the next line", async () => {
    const server = await serve((socket) => {
      node()(socket);
      socket.once("data", () => {
        const flood = "x".repeat(65_536);
        for (let count = 0; count < 64; count++) socket.write(flood);
        socket.write(`\r\n${line("W1AW")}\r\n`);
      });
    });
    const before = process.memoryUsage().heapUsed;
    expect((await take(open(server).feed, 1))[0]?.dx).toBe("W1AW");
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6);
  });

  it("drops the oldest spots for a slow reader in a flood, and counts them", async () => {
    const count = 20_000;
    const call = (index: number) =>
      `DL${index % 10}${String.fromCharCode(65 + (Math.floor(index / 10) % 26))}${index}`;
    const lines = Array.from({ length: count }, (_, index) => line(call(index)));
    const server = await serve(node(lines.join("\r\n")));
    const { feed } = open(server, {}, { maxQueued: 100 });
    await expect.poll(() => feed.dropped, { timeout: 5000 }).toBe(count - 100);
    const spots = await take(feed, 100);
    expect(spots[0]?.dx).toBe(call(count - 100).toUpperCase());
    expect(spots.at(-1)?.dx).toBe(call(count - 1).toUpperCase());
  });

  it("reads on through binary garbage", async () => {
    const garbage = Uint8Array.from({ length: 4096 }, (_, index) => (index * 193 + (index >> 3)) & 0x7f);
    const server = await serve((socket) => {
      node()(socket);
      socket.once("data", () => {
        void sendPieces(socket, [garbage, "\r\n", line("W1AW"), "\r\n"]);
      });
    });
    expect((await take(open(server).feed, 1))[0]?.dx).toBe("W1AW");
  });

  it("refuses telnet options once each, and shows none of their bytes", async () => {
    const negotiation = Uint8Array.of(
      255,
      251,
      1,
      255,
      251,
      3,
      255,
      253,
      24,
      255,
      253,
      24,
      255,
      250,
      24,
      1,
      255,
      240,
    );
    const server = await serve((socket) => {
      socket.on("data", () => {
        if (!server.received.endsWith("N0CALL\r\n")) return;
        void sendPieces(socket, [
          line("W1AW").slice(0, 50),
          Uint8Array.of(255, 241),
          line("W1AW").slice(50),
          "\r\n",
        ]);
      });
      // A command in two pieces.
      void sendPieces(socket, [negotiation, Uint8Array.of(255), Uint8Array.of(251, 1), "login: "]);
    });
    const [spot] = await take(open(server).feed, 1);
    expect(spot).toMatchObject({ dx: "W1AW", comment: "cq" });
    // WONT and DONT: 252 and 254.
    const refusals = String.fromCharCode(255, 254, 1, 255, 254, 3, 255, 252, 24);
    expect(server.received).toBe(`${refusals}N0CALL\r\n`);
  });

  it("reads comments in UTF-8 and in ISO 8859-1", async () => {
    const server = await serve((socket) => {
      node()(socket);
      socket.once("data", () => {
        socket.write(Buffer.from(`${line("EA1ABC", "señal buena")}\r\n`, "utf8"));
        socket.write(Buffer.from(`${line("EA2ABC", "señal buena")}\r\n`, "latin1"));
      });
    });
    const spots = await take(open(server).feed, 2);
    expect(spots.map(({ comment }) => comment)).toEqual(["señal buena", "señal buena"]);
  });

  it("sends a blank line into silence, and connects again if it goes on", async () => {
    const server = await serve(node(line("W1AW")), node(line("JA1ABC")));
    const { feed, states } = open(server, { timeoutMs: 500 });
    expect((await take(feed, 2)).map(({ dx }) => dx)).toEqual(["W1AW", "JA1ABC"]);
    expect(server.received).toMatch(/^N0CALL\r\n\r\nN0CALL\r\n/);
    expect(states.find(({ state }) => state === "waiting")).toMatchObject({
      error: {
        code: "io/timed-out",
        message: expect.stringContaining("no data received for 500 ms") as string,
      },
    });
  });

  it("stays connected where the node answers blank lines", async () => {
    const server = await serve((socket) => {
      node(line("W1AW"))(socket);
      socket.on("data", (bytes: Uint8Array) => {
        if (Buffer.from(bytes).toString() === "\r\n") socket.write("N0CALL de GB7DJK 1201Z >\r\n");
      });
    });
    const { feed } = open(server, { timeoutMs: 1200 });
    await take(feed, 1);
    await new Promise((resolve) => setTimeout(resolve, 2600));
    expect(server.count).toBe(1);
  });

  it("sends the call where the node doesn't prompt", async () => {
    const server = await serve((socket) => {
      socket.once("data", () => socket.write(`${line("W1AW")}\r\n`));
    });
    expect(await take(open(server, { timeoutMs: 400 }).feed, 1)).toHaveLength(1);
  });

  it("reads a server that sends spots without a login", async () => {
    const server = await serve((socket) => void socket.write(`${line("W1AW")}\r\n`));
    expect(await take(open(server).feed, 1)).toHaveLength(1);
    expect(server.received).toBe("");
  });

  it.each([
    ["while it connects", "connecting"],
    ["while it is connected", "connected"],
    ["while it waits", "waiting"],
  ])("ends with its signal %s, and leaves nothing open", async (when, wanted) => {
    const server = await serve(when === "while it waits" ? (socket) => socket.destroy() : node());
    const controller = new AbortController();
    const { feed, states } = open(server, {}, { signal: controller.signal, maxRetryDelayMs: 3_600_000 });
    const reading = take(feed, 1);
    await expect.poll(() => states.some(({ state }) => state === wanted)).toBe(true);
    controller.abort();
    const { count } = server;
    expect(await reading).toEqual([]);
    await feed.close();
    await expect.poll(() => server.sockets.size).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.count - count).toBeLessThan(2); // one may have been under way
  });

  it.each<[string, Partial<ClusterSourceOptions>]>([
    ["call", { call: "N0CALL\r\nshutdown" }],
    ["call", { call: "" }],
    ["host", { host: "a b" }],
    ["port", { port: 0 }],
    ["port", { port: 70_000 }],
    ["commands", { commands: ["set/ve7cc\nbye"] }],
    ["password", { password: "a\nb" }],
    ["timeoutMs", { timeoutMs: 0 }],
  ])("rejects a %s that is not one: %j", (argument, options) => {
    const create = () => clusterSource({ host: "127.0.0.1", call: "N0CALL", ...options });
    expect(create).toThrow(expect.objectContaining({ code: "argument/invalid", argument }));
    expect(create).not.toThrow(/a\\nb/);
  });
});

describe("rbnSource", () => {
  it("is a cluster node at the network's ports", async () => {
    expect(rbnSource({ call: "N0CALL" }).name).toBe("RBN CW");
    expect(() => rbnSource({ call: "N0CALL", mode: "ssb" as "cw" })).toThrow('mode: "ssb"');
  });
});
