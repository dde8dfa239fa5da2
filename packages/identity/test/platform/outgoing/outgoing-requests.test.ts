/** Requests to configured addresses. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  createOutgoingFetch,
  OutgoingRequestError,
  type Lookup,
  type OutgoingRules,
} from "../../../src/platform/outgoing/outgoing-requests.js";

let server: Server;
let answer: RequestListener;
let port: number;
beforeEach(async () => {
  answer = (_, response) => response.end("found");
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const allowed: OutgoingRules = { allowsHttp: true, allowsPrivate: () => true };
const strict: OutgoingRules = { allowsHttp: true, allowsPrivate: () => false };
const get = { method: "GET", headers: {} };

/** Names that lead to these addresses. */
function names(...addresses: string[]): Lookup {
  return (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
}

describe("an outgoing request", () => {
  it("is answered as fetch answers", async () => {
    answer = (request, response) => {
      response.writeHead(201, { "x-found": "yes", "content-type": "text/plain" });
      request.pipe(response);
    };
    const fetch = createOutgoingFetch(allowed);
    const body = new URLSearchParams({ a: "b c" });
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: {}, body });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("x-found")).toBe("yes");
    expect(await reply.text()).toBe("a=b+c");
  });

  it("goes to the address of a name, which is looked at", async () => {
    const reply = await createOutgoingFetch(allowed, names("127.0.0.1"))(`http://op.test:${port}/`, get);
    expect(await reply.text()).toBe("found");
  });

  it.each([["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]])(
    "does not go to a name that leads inward: %s",
    async (...addresses) => {
      const fetch = createOutgoingFetch(strict, names(...addresses));
      await expect(fetch(`http://op.test:${port}/`, get)).rejects.toThrow(
        "request to op.test: its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
      );
    },
  );

  it("goes to the address that was looked at: the name is not looked up a second time", async () => {
    const rules = { ...strict, allowsPrivate: (address: string) => address === "127.0.0.1" };
    let times = 0;
    const changing: Lookup = (host, options, done) =>
      names((times += 1) === 1 ? "127.0.0.1" : "127.0.0.2")(host, options, done);
    const reply = await createOutgoingFetch(rules, changing)(`http://op.test:${port}/`, get);
    expect(await reply.text()).toBe("found");
    expect(times).toBe(1);
  });

  it.each([
    ["http://op.test/", { ...strict, allowsHttp: false }, "http: is not allowed"],
    ["ftp://op.test/", allowed, "ftp: is not allowed"],
    ["https://kim:pw@op.test/", allowed, "credentials in the URL are not allowed"],
    [
      "https://[fd00::1]/",
      strict,
      "its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS)",
    ],
    ["op.test", allowed, "invalid URL"],
  ])("does not go to %s", async (url, rules, reason) => {
    await expect(createOutgoingFetch(rules)(url, get)).rejects.toThrow(reason);
  });

  it("does not follow where it is sent", async () => {
    answer = (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    expect((await createOutgoingFetch(allowed)(`http://127.0.0.1:${port}/`, get)).status).toBe(302);
  });

  it("does not take more than 1 MB", async () => {
    answer = (_, response) => response.end(Buffer.alloc((1 << 20) + 1));
    const fetching = createOutgoingFetch(allowed)(`http://127.0.0.1:${port}/`, get);
    await expect(fetching).rejects.toThrow("more than 1048576 bytes");
  });

  it("does not wait longer than 5 s, even for a response that arrives byte by byte", async () => {
    answer = (_, response) => {
      const drops = setInterval(() => response.write("."), 100);
      response.on("close", () => clearInterval(drops));
    };
    const began = Date.now();
    const failing = createOutgoingFetch(allowed)(`http://127.0.0.1:${port}/`, get);
    await expect(failing).rejects.toThrow(OutgoingRequestError);
    await expect(failing).rejects.toThrow("no response within 5000 ms");
    expect(Date.now() - began).toBeLessThan(8000);
  });

  it("fails without a listener", async () => {
    server.close();
    const fetching = createOutgoingFetch(allowed)(`http://127.0.0.1:${port}/`, get);
    await expect(fetching).rejects.toThrow(`request to 127.0.0.1:${port}: no response`);
  });
});
