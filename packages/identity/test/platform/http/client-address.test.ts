import { connect, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import { testServer } from "../../test-server.js";

const { server } = testServer();
afterEach(() => server.close());

it("the address of a client that hangs up before its response is known to limits and to the audit log", async () => {
  const addresses: string[] = [];
  server.get("/late", (request, reply) => {
    setTimeout(() => {
      addresses.push(request.clientAddress);
      void reply.send({});
    }, 100);
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1", () => client.write("GET /late HTTP/1.1\r\nhost: x\r\n\r\n"));
  await delay(30);
  client.resetAndDestroy();
  await expect.poll(() => addresses).toEqual(["127.0.0.1"]);
});
