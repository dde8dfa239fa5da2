/** What is sent to a collector, from a thread. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { afterEach, expect, it } from "vitest";

import {
  createCollectorSender,
  type CollectorSender,
} from "../../../dist/platform/collector/collector-sender.js";

const closings: (() => unknown)[] = [];
afterEach(async () => {
  delete process.env["OTEL_EXPORTER_OTLP_HEADERS"];
  for (const close of closings.splice(0).toReversed()) await close();
});

async function senderTo(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<CollectorSender> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closings.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  const sender = createCollectorSender({
    url: `http://127.0.0.1:${port}/v1/traces`,
    signal: "traces",
    maxMs: 2000,
  });
  closings.push(() => sender.close());
  return sender;
}

const body = (content: string) => new TextEncoder().encode(content);

it("is JSON, with the headers that the environment names", async () => {
  process.env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-key=secret";
  const received: object[] = [];
  const sender = await senderTo(async (request, response) => {
    const { url, headers } = request;
    received.push({ url, type: headers["content-type"], key: headers["x-key"], body: await text(request) });
    response.end("{}");
  });
  await sender.send(body('{"a":1}'));
  await sender.send(body('{"b":2}'));
  const common = { url: "/v1/traces", type: "application/json", key: "secret" };
  expect(received).toEqual([
    { ...common, body: '{"a":1}' },
    { ...common, body: '{"b":2}' },
  ]);
});

it("is tried again where the collector is busy, and fails with the status of another response", async () => {
  const statuses = [503, 200, 400];
  const sender = await senderTo((request, response) => {
    request.resume();
    response.writeHead(statuses.shift() ?? 200, { "retry-after": "0" }).end();
  });
  await sender.send(body("{}"));
  await expect(sender.send(body("{}"))).rejects.toThrow("400 Bad Request");
});

it("is waited for when the sender is closed, as long as a body may take", async () => {
  const answers: ServerResponse[] = [];
  const sender = await senderTo((_, response) => void answers.push(response));
  const sendings = Promise.allSettled([sender.send(body("{}")), sender.send(body("{}"))]);
  await expect.poll(() => answers.length).toBe(2);
  answers[0]?.end("{}");
  await sender.close();
  const [answered, silent] = await sendings;
  expect([answered.status, silent.status].toSorted()).toEqual(["fulfilled", "rejected"]);
});

it("fails when the thread ends; the next body has a new thread", async () => {
  const sender = createCollectorSender({ url: "nonsense", signal: "traces", maxMs: 2000 });
  for (let thread = 0; thread < 2; thread++)
    await expect(sender.send(body("{}"))).rejects.toThrow("the sending thread ended: ");
  await sender.close();
});
