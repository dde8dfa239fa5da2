/** Requests whose client hangs up before the response: what they did is logged, measured and audited all the same. */
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, it } from "vitest";

import { testServer } from "../../test-server.js";

const { server } = testServer();
const ends: { readonly url: string; readonly status: number }[] = [];
let arrived = () => {};
let goOn = () => {};
let port = 0;
beforeAll(async () => {
  server.endListeners.push((request, reply) => {
    ends.push({ url: request.url, status: reply.statusCode });
  });
  for (const [url, status] of [
    ["/made", 201],
    ["/refused", 403],
  ] as const)
    server.post(url, async (_request, reply) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
        arrived();
      });
      return reply.code(status).send({});
    });
  await server.listen({ port: 0, host: "127.0.0.1" });
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(() => server.close());

it.each([
  ["/made", 201],
  ["/refused", 403],
])("%s ends once, with its own status, after its handler", async (url, status) => {
  ends.length = 0;
  const isReached = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const client = connect(port, "127.0.0.1");
  const isClosed = new Promise((resolve) => {
    server.server.once("connection", (socket) => socket.once("close", resolve));
  });
  client.write(
    `POST ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  );
  await isReached;
  client.destroy();
  await once(client, "close");
  await isClosed;
  expect(ends).toEqual([]);
  goOn();
  await expect.poll(() => ends).toEqual([{ url, status }]);
});

it("pipelined ones end once each, after their handlers, and are not kept", async () => {
  ends.length = 0;
  const handlers: (() => void)[] = [];
  const arePending = new Promise<void>((resolve) => {
    arrived = () => {
      if (handlers.push(goOn) === 3) resolve();
    };
  });
  const client = connect(port, "127.0.0.1");
  const isClosed = new Promise((resolve) => {
    server.server.once("connection", (socket) => socket.once("close", resolve));
  });
  const head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  client.write(["/made", "/refused", "/made"].map((url) => `POST ${url} HTTP/1.1\r\n${head}`).join(""));
  await arePending;
  // The last has its response before its turn comes.
  handlers[2]?.();
  await expect.poll(() => server.openResponses().filter(({ writableEnded }) => writableEnded).length).toBe(1);
  client.destroy();
  await isClosed;
  await expect.poll(() => ends).toEqual([{ url: "/made", status: 201 }]);
  expect(server.openResponses()).toEqual([]);
  handlers[0]?.();
  handlers[1]?.();
  await expect
    .poll(() => ends)
    .toEqual([
      { url: "/made", status: 201 },
      { url: "/made", status: 201 },
      { url: "/refused", status: 403 },
    ]);
});

it("one with a response ends once", async () => {
  ends.length = 0;
  await (await fetch(`http://127.0.0.1:${port}/unknown`, { headers: { connection: "close" } })).text();
  await expect.poll(() => ends).toEqual([{ url: "/unknown", status: 404 }]);
});
