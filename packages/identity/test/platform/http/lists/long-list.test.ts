/** Lists over real connections. */
import { once } from "node:events";
import { Agent, get, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import type { HttpServer } from "../../../../src/platform/http/http-server.js";
import { createLinks } from "../../../../src/platform/http/links.js";
import { MAX_WHOLE_ITEMS, sendPages, sendSlices } from "../../../../src/platform/http/lists/long-list.js";
import { listResponse, readPage, type Page } from "../../../../src/platform/http/lists/paging.js";
import { PUBLIC_URL, testServer } from "../../../test-server.js";

const END = { links: { next: null, self: "", previous: null } } as const;
const links = createLinks(PUBLIC_URL);

let server: HttpServer | undefined;
afterEach(() => server?.close());

/** Serves the slices as the list `items`. */
async function serve(slices: () => AsyncIterable<readonly object[]>): Promise<number> {
  ({ server } = testServer());
  server.get("/list", async (_request, reply) =>
    sendSlices(reply as never, "items", { slices: slices(), end: () => END }),
  );
  await server.listen({ host: "127.0.0.1", port: 0 });
  return (server.server.address() as AddressInfo).port;
}

async function open(port: number): Promise<IncomingMessage> {
  const asked = get({ host: "127.0.0.1", port, path: "/list", agent: false });
  asked.on("error", () => {});
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response;
}

const items = (count: number, size = 10) =>
  Array.from({ length: count }, (_, id) => ({ id: String(id).padStart(size, "0") }));

async function* inSlices(all: readonly object[], size: number) {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}

describe("a list of any length", () => {
  it.each([0, 1, MAX_WHOLE_ITEMS, MAX_WHOLE_ITEMS + 1, 5 * MAX_WHOLE_ITEMS + 3])(
    "of %d items has all of them, with their length only where it is known",
    async (count) => {
      const port = await serve(() => inSlices(items(count), 700));
      const response = await fetch(`http://127.0.0.1:${port}/list`);
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      expect(response.headers.has("content-length")).toBe(count <= MAX_WHOLE_ITEMS);
      expect(await response.json()).toEqual({ items: items(count), ...END });
      const head = await fetch(`http://127.0.0.1:${port}/list`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    },
  );

  it("that fails on the way breaks the connection, and is never a shorter list", async () => {
    async function* failing() {
      yield items(MAX_WHOLE_ITEMS + 1);
      await nextTurn();
      throw new Error("the database is gone");
    }
    const port = await serve(failing);
    const response = await open(port);
    let text = "";
    response.on("data", (data: Buffer) => (text += data.toString()));
    await new Promise((resolve) => {
      response.once("close", resolve);
    });
    expect(response.complete).toBe(false);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it("that fails at its beginning is refused like any other", async () => {
    // oxlint-disable-next-line require-yield
    async function* failing(): AsyncGenerator<object[]> {
      throw new Error("the database is gone");
    }
    const port = await serve(failing);
    expect((await fetch(`http://127.0.0.1:${port}/list`)).status).toBe(500);
  });

  it("is made as fast as it is read, and not at all once its reader has gone", async () => {
    let made = 0;
    let isEnded = false;
    async function* endless() {
      try {
        for (;;) {
          made++;
          yield items(200, 1000);
        }
      } finally {
        isEnded = true;
      }
    }
    const port = await serve(endless);
    const response = await open(port);
    await once(response, "readable");
    // Until what lies between has filled: some megabytes.
    let before = -1;
    while (made !== before) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(made).toBeLessThan(200);
    response.destroy();
    await expect.poll(() => isEnded).toBe(true);
  });

  it("yields to other requests between slices", async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      if (server !== undefined) setImmediate(turn);
    };
    const port = await serve(() => inSlices(items(20_000), 20_000));
    setImmediate(turn);
    let before = 0;
    const response = await fetch(`http://127.0.0.1:${port}/list`);
    before = turns;
    await response.text();
    expect(turns - before).toBeGreaterThan(20);
    await server?.close();
    server = undefined;
  });
});

describe("a list that a store gives by pages", () => {
  const all = items(3500);
  /** As stores do it: those on the page, and one more. */
  const readItems = async ({ limit, marker = "" }: Page) => {
    const behind = all.filter(({ id }) => id > marker);
    return limit === undefined ? behind : behind.slice(0, limit + 1);
  };

  it.each([
    "",
    "?limit=0",
    "?limit=10",
    "?limit=1000",
    "?limit=1001",
    "?limit=3499",
    "?limit=3500",
    "?limit=9000",
  ])("is the same in slices as in one piece: %s", async (query) => {
    const read: Page[] = [];
    ({ server } = testServer());
    server.get("/things", async (asked, reply) => {
      const page = readPage(asked.query as never, { defaultPageSize: undefined });
      const readPart = (part: Page) => {
        read.push(part);
        return readItems(part);
      };
      return sendPages(reply as never, "things", readPart, { page, links, url: asked.url });
    });
    const { body } = await server.inject({ url: `/things${query}` });
    const limit = /\d+/.exec(query)?.[0];
    const page = { limit: limit === undefined ? undefined : Number(limit), marker: undefined };
    const whole = listResponse("things", await readItems(page), { page, links, url: `/things${query}` });
    expect(JSON.parse(body)).toEqual(whole);
    for (const part of read) expect(part.limit).toBeLessThanOrEqual(MAX_WHOLE_ITEMS);
  });
});

describe("a reader of a long list that reads nothing", () => {
  it("does not keep others from being answered", async () => {
    async function* endless() {
      for (;;) yield items(200, 1000);
    }
    const port = await serve(endless);
    const slow = await Promise.all(Array.from({ length: 20 }, () => open(port)));
    const agent = new Agent({ keepAlive: false });
    const asked = request({ host: "127.0.0.1", port, path: "/nothing", agent });
    asked.end();
    const [{ statusCode }] = (await once(asked, "response")) as [IncomingMessage];
    expect(statusCode).toBe(404);
    for (const response of slow) response.destroy();
  });
});
