/** When the span of a request ends. */
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";

import { fastify } from "fastify";
import { afterEach, expect, it } from "vitest";

import { traceRequests } from "../../../src/platform/tracing/trace-requests.js";

const server = fastify();
afterEach(() => server.close());

it("ends once, with the response or when its client hangs up", async () => {
  const ends: { readonly route: string; readonly status: number | undefined }[] = [];
  let reached = () => {};
  traceRequests(server, {
    begin: () => ({ traceId: "t", run: (work) => work(), end: (response) => void ends.push(response) }),
  });
  server.get("/quick", async () => ({}));
  server.get("/slow", async () => {
    reached();
    await new Promise(() => {});
  });
  await server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = server.server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/quick`, { headers: { connection: "close" } })).text();
  await expect.poll(() => ends).toEqual([{ route: "/quick", status: 200 }]);

  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const client = connect(port, "127.0.0.1");
  client.write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await isReached;
  client.destroy();
  await once(client, "close");
  await expect.poll(() => ends.slice(1)).toEqual([{ route: "/slow", status: undefined }]);
});
