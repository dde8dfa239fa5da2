/** An hour of WSJT-X on a busy band, replayed within seconds, from its datagrams to the stream that pages read. */
import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";

import { expect, it, onTestFinished } from "vitest";

import { freeUdpPort, sendDecodes, serve, type Served } from "../test-system/live-doubles.js";
import { DECODES, decodesOf, PERIODS } from "./wsjtx-decodes.js";

/** What other programs on the port may send: random bytes, none, too many, and a message cut within its text or not in UTF-8. */
function strayDatagrams(period: number): readonly Uint8Array[] {
  const noise = Uint8Array.from({ length: 200 }, (_, index) => (index * 89 + period * 31) % 256);
  const header = Uint8Array.from([0xad, 0xbc, 0xcb, 0xda, 0, 0, 0, 2, 0, 0, 0, 2]); // schema 2, a decode
  return [
    noise,
    new Uint8Array(0),
    new Uint8Array(60_000).fill(0x41),
    Uint8Array.from([...header, 0, 0, 0, 99, 0x57]),
    Uint8Array.from([...header, 0, 0, 0, 2, 0xff, 0xfe, ...noise]),
  ];
}

async function sendStray(port: number, period: number): Promise<void> {
  const socket = createSocket("udp4");
  for (const bytes of strayDatagrams(period))
    await new Promise((resolve) => {
      socket.send(bytes, port, "127.0.0.1", resolve);
    });
  socket.close();
}

/** Of the server, in bytes (Linux). */
async function residentBytes({ process: { pid } }: Served): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Counts the spots of the stream by call, and keeps the numbers of its events. */
async function readStream(url: string, signal: AbortSignal) {
  const response = await fetch(new URL("live/events", url), { signal });
  expect(response.status).toBe(200);
  const calls = new Map<string, number>();
  const ids: number[] = [];
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const [, id, data = ""] = /^id: (\d+)\ndata: (.*)$/s.exec(event) ?? [];
        if (id === undefined) continue;
        ids.push(Number(id));
        const { dx } = JSON.parse(data) as { dx: string };
        calls.set(dx, (calls.get(dx) ?? 0) + 1);
      }
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { calls, ids, reading };
}

it("brings every decode of an hour to the stream once and in order, among stray datagrams, in bounded memory", async () => {
  const udpPort = await freeUdpPort();
  const served = await serve("--port", "0", "--wsjtx", String(udpPort));
  const end = new AbortController();
  onTestFinished(async () => {
    end.abort();
    await served.stop();
  });
  const { calls, ids, reading } = await readStream(served.url, end.signal);
  const memory = [await residentBytes(served)];
  const started = performance.now();
  for (let period = 0; period < PERIODS; period++) {
    await sendDecodes(udpPort, ...decodesOf(period));
    await sendStray(udpPort, period);
    // The system keeps some tens of datagrams for a program that is behind, and drops the others.
    await expect.poll(() => ids.length, { timeout: 5000, interval: 5 }).toBe((period + 1) * DECODES);
    if ((period + 1) % 60 === 0) memory.push(await residentBytes(served));
  }
  const total = PERIODS * DECODES;
  const seconds = (performance.now() - started) / 1000;
  end.abort();
  await reading;
  const megabytes = memory.map((bytes) => (bytes / 1e6).toFixed(0)).join(", ");
  process.stdout.write(
    `${total} decodes in ${seconds.toFixed(1)} s (an hour ${(3600 / seconds).toFixed(0)} times as fast), ` +
      `${calls.size} calls in the stream; memory of the server: ${megabytes} MB\n`,
  );
  expect(calls.size).toBe(total);
  expect(ids).toEqual(Array.from({ length: total }, (_, index) => (ids[0] ?? 0) + index));
  expect(Math.max(...memory)).toBeLessThan(300e6);
}, 120_000);
