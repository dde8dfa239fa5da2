/** Responses in pieces, over a real connection. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import type { HttpServer } from "../../../../src/platform/http/http-server.js";
import { sendPieces } from "../../../../src/platform/http/lists/text-pieces.js";
import { testServer } from "../../../test-server.js";

let server: HttpServer | undefined;
afterEach(() => server?.close());

async function ask(pieces: () => AsyncGenerator<string>, method = "GET"): Promise<IncomingMessage> {
  ({ server } = testServer());
  server.get("/text", async (_request, reply) => sendPieces(reply.type("text/plain"), pieces()));
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const asked = get({ host: "127.0.0.1", port, path: "/text", agent: false, method });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  return text;
}

const PIECE = "é".repeat(10_000);

async function* copies(count: number, failure?: Error) {
  for (let number = 0; number < count; number++) yield PIECE;
  if (failure !== undefined) throw failure;
}

describe("a response in pieces", () => {
  it.each([0, 1, 3, 20])("of %d has all of them, with their length only if they are few", async (count) => {
    const response = await ask(() => copies(count));
    expect(response.headers["content-length"]).toBe(count <= 3 ? String(20_000 * count) : undefined);
    expect((await textOf(response)) === PIECE.repeat(count)).toBe(true);
  });

  it("has no body for HEAD, and ends what it reads", async () => {
    let hasEnded = false;
    async function* ending() {
      try {
        yield* copies(20);
      } finally {
        hasEnded = true;
      }
    }
    expect(await textOf(await ask(ending, "HEAD"))).toBe("");
    expect(hasEnded).toBe(true);
  });

  it("is read no further for a client that reads nothing, and ended where the client goes away", async () => {
    let made = 0;
    let hasEnded = false;
    async function* endless() {
      try {
        for (;;) {
          made++;
          yield PIECE;
        }
      } finally {
        hasEnded = true;
      }
    }
    const response = await ask(endless);
    response.pause();
    let former = -1;
    // Until the buffers between both are full.
    await expect
      .poll(() => {
        const isSame = made === former;
        former = made;
        return isSame;
      })
      .toBe(true);
    expect(hasEnded).toBe(false);
    response.destroy();
    await expect.poll(() => hasEnded).toBe(true);
  });

  it("is an error where one of the first fails, and breaks off where a later one does", async () => {
    const failed = await ask(() => copies(2, new Error("no more")));
    expect(failed.statusCode).toBe(500);
    failed.resume();
    await server?.close();
    const broken = await ask(() => copies(20, new Error("no more")));
    expect(broken.statusCode).toBe(200);
    await expect(textOf(broken)).rejects.toThrow("aborted");
  });
});
