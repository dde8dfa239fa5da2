import { once } from "node:events";
import { connect } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { startEventServer, type EventServer } from "../../../../src/cli/commands/live/event-server.js";
import type { FeedSpot } from "../../../../src/feeds.js";

let server: EventServer | undefined;
afterEach(async () => server?.close());

const spot = (dx: string): FeedSpot => ({
  source: "x",
  time: new Date(0),
  frequencyKHz: 14_025,
  dx,
  skimmer: false,
  comment: "x".repeat(500),
});

/** What a client gets that sends these headers, up to the event of an id. */
async function readUntil(url: string, id: number, headers: Record<string, string> = {}): Promise<string> {
  const controller = new AbortController();
  const { body } = await fetch(url, { headers, signal: controller.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(`id: ${id}\n`)) text += (await reader?.read())?.value ?? "";
  controller.abort();
  return text;
}

describe("startEventServer", () => {
  it("sends the last events to clients that connect, after the last one that they have", async () => {
    server = await startEventServer({ address: "127.0.0.1", port: 0 });
    for (let count = 0; count < 1000; count++) server.send(spot(`W${count}`));
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const all = ids(await readUntil(server.url, 1000));
    expect(all.at(-1)).toBe(1000);
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(all.length).toBeLessThan(400);
    expect(ids(await readUntil(server.url, 1000, { "last-event-id": "998" }))).toEqual([999, 1000]);
    expect(ids(await readUntil(server.url, 1000, { "last-event-id": "1000000" })).length).toBe(all.length);
    expect(ids(await readUntil(server.url, 1000, { "last-event-id": "<x>" })).length).toBe(all.length);
  });

  it("disconnects a client that doesn't read", async () => {
    server = await startEventServer({ address: "127.0.0.1", port: 0 });
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    for (let round = 0; round < 100; round++) {
      for (let count = 0; count < 500; count++) server.send(spot(`W${count}`));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const after = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    expect(after - before).toBeLessThan(60e6);
    let last = "";
    socket.on("data", (bytes: Uint8Array) => (last = (last + Buffer.from(bytes).toString()).slice(-200)));
    socket.resume();
    await once(socket, "close");
    expect(last).toContain("event: slow");
    expect(socket.bytesRead).toBeLessThan(100 * 500 * 500);
  });

  it("refuses other paths, also one that is no URL", async () => {
    server = await startEventServer({ address: "127.0.0.1", port: 0 });
    const { port } = new URL(server.url);
    for (const path of ["//", "/x", "//:1", "http://[", "*"]) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(String(answer)).toContain("HTTP/1.1 404 ");
      socket.destroy();
    }
    server.send(spot("W1AW"));
    expect(await readUntil(server.url, 1)).toContain("W1AW");
  });

  it("refuses more than a hundred clients", async () => {
    server = await startEventServer({ address: "127.0.0.1", port: 0 });
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    const { url } = server;
    await Promise.all(controllers.map(async ({ signal }) => fetch(url, { signal })));
    expect((await fetch(url)).status).toBe(503);
    controllers[0]?.abort();
    await expect
      .poll(async () => {
        const controller = new AbortController();
        const { status } = await fetch(url, { signal: controller.signal });
        controller.abort();
        return status;
      })
      .toBe(200);
    for (const controller of controllers) controller.abort();
  });
});
