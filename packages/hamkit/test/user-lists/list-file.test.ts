import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ArgumentTypeError, IOError, ValueError } from "../../src/errors.js";
import { getCardsiteUsers, getLogbookUsers, getLogsiteUsers, type UserListOptions } from "../../src/qsl.js";
import { textOf } from "../../src/user-lists/list-file.js";
import { fails, startFileServer, type FileServer } from "../fixtures/file-server.js";
import { zipped } from "./lists.js";

interface List {
  readonly get: (options?: UserListOptions) => Promise<object>;
  /** The least that is a list. */
  readonly body: Uint8Array;
  readonly users: object;
  readonly address: string;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const LISTS: readonly (readonly [name: string, list: List])[] = [
  [
    "getLogsiteUsers",
    {
      get: getLogsiteUsers,
      body: zipped('{"W1AW":{"oqrs":true}}'),
      users: { W1AW: { oqrs: true } },
      address: "https://cdn.clublog.org/clublog-users.json.zip",
    },
  ],
  [
    "getCardsiteUsers",
    {
      get: getCardsiteUsers,
      body: encode("W1AW\r\n"),
      users: ["W1AW"],
      address: "http://www.eqsl.cc/QSLCard/DownloadedFiles/AGMemberlist.txt",
    },
  ],
  [
    "getLogbookUsers",
    {
      get: getLogbookUsers,
      body: encode("W1AW,2024-05-01,23:59:59\n"),
      users: { W1AW: new Date("2024-05-01T23:59:59Z") },
      address: "https://lotw.arrl.org/lotw-user-activity.csv",
    },
  ],
];

/** The waits before retries: a tenth of them is waited. */
const RETRY_MS: ReadonlySet<unknown> = new Set([500, 1000]);
const wait = setTimeout;

let server: FileServer;
let folder: string;
beforeEach(async () => {
  vi.stubGlobal("setTimeout", (run: () => void, ms?: number) =>
    wait(run, RETRY_MS.has(ms) ? (ms ?? 0) / 10 : ms),
  );
  server = await startFileServer();
  folder = await mkdtemp(join(tmpdir(), "hamkit-lists-"));
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends these bytes with status 200. */
function serve(body: Uint8Array): void {
  server.answers = [(_, response) => response.writeHead(200, { "content-type": "text/html" }).end(body)];
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const failure: unknown = await promise.catch((error: unknown) => error);
  if (!(failure instanceof Error)) throw new Error(`No failure: ${JSON.stringify(failure)}`);
  return failure;
}

async function ioErrorOf(promise: Promise<unknown>): Promise<IOError> {
  const failure = await failureOf(promise);
  if (!(failure instanceof IOError)) throw failure;
  return failure;
}

describe.each(LISTS)("%s", (_, { get, body, users, address }) => {
  it("downloads the list whatever its media type", async () => {
    serve(body);
    expect(await get({ url: server.url })).toEqual(users);
  });

  it("requests the service's address by default", async () => {
    const asked: unknown[] = [];
    vi.stubGlobal("fetch", async (url: unknown) => {
      asked.push(url);
      return new Response(body as Uint8Array<ArrayBuffer>);
    });
    expect(await get()).toEqual(users);
    expect(asked).toEqual([address]);
  });

  it("reads a local copy without a request", async () => {
    const filename = join(folder, "list");
    await writeFile(filename, body);
    expect(await get({ filename, url: server.url })).toEqual(users);
    expect(server.requests).toHaveLength(0);
  });

  it("fails with the file's name where there is no such file", async () => {
    const filename = join(folder, "none");
    const failure = await ioErrorOf(get({ filename }));
    expect(failure.resource).toBe(filename);
    expect(failure.cause).toMatchObject({ code: "ENOENT" });
  });

  it.each([403, 404])("fails without a retry for HTTP %d", async (status) => {
    server.answers = [fails(status)];
    const failure = await ioErrorOf(get({ url: server.url }));
    expect(failure).toMatchObject({ resource: server.url, code: "io/failed" });
    expect(failure.message).toContain(`HTTP ${status}`);
    expect(server.requests).toHaveLength(1);
  });

  it("fails if every attempt has HTTP 500, and not if one has", async () => {
    server.answers = [fails(500)];
    expect((await ioErrorOf(get({ url: server.url }))).message).toContain("HTTP 500");
    server.answers = [
      fails(500),
      (_request, response) => {
        response.end(body);
      },
    ];
    expect(await get({ url: server.url })).toEqual(users);
  });

  it("fails if no server listens, with the failure as cause", async () => {
    await server.close();
    const failure = await ioErrorOf(get({ url: server.url }));
    expect(failure.message).toContain(server.url);
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it("fails where the list does not come in the time it has", async () => {
    server.answers = [(_request, response) => response.writeHead(200).write(body.subarray(0, 5))];
    const failure = await ioErrorOf(get({ url: server.url, timeoutMs: 100 }));
    expect(failure.message).toContain("no data received for 100 ms");
  });

  it("fails where the connection breaks off in the middle", async () => {
    server.answers = [
      (_request, response) => {
        response.writeHead(200, { "content-length": String(body.length) }).write(body.subarray(0, 5));
        setTimeout(() => response.destroy(), 10);
      },
    ];
    expect((await ioErrorOf(get({ url: server.url }))).message).toContain("the network failed");
  });

  it.each([
    ["a web page", "<!DOCTYPE html>\n<html>Maintenance, 2024-05-01</html>", "found a web page"],
    ["a page after a byte order mark and blanks", "\ufeff\r\n  <html></html>", "found a web page"],
    ["nothing", "", "the list is empty"],
    ["blank lines", "\r\n \r\n", "the list is empty"],
  ])("fails for %s with status 200", async (_what, text, reason) => {
    serve(encode(text));
    const failure = await ioErrorOf(get({ url: server.url }));
    expect(failure.message).toBe(`${server.url}: ${failure.message.slice(server.url.length + 2)}`);
    expect(failure.message).toContain(reason);
  });

  it("rejects more than 32 MiB", async () => {
    serve(new Uint8Array(33 * 1024 * 1024).fill(65));
    expect((await ioErrorOf(get({ url: server.url }))).message).toContain("more than 33554432 bytes");
  });

  it.each(["not a url", "ftp://example.org/list", "file:///etc/passwd", "http://", "data:,W1AW", ""])(
    "fails at once for what is no http address: %o",
    async (url) => {
      const start = performance.now();
      expect((await ioErrorOf(get({ url }))).message).toContain("not an http or https address");
      expect(performance.now() - start).toBeLessThan(400);
    },
  );

  it.each([
    ["options", "http://example.org/", ArgumentTypeError],
    ["options", null, ArgumentTypeError],
    ["url", { url: 5 }, ArgumentTypeError],
    ["filename", { filename: ["list"] }, ArgumentTypeError],
    ["timeoutMs", { timeoutMs: 0 }, ValueError],
    ["timeoutMs", { timeoutMs: Number.NaN }, ValueError],
    ["timeoutMs", { timeoutMs: 2 ** 31 }, ValueError],
    ["timeoutMs", { timeoutMs: "5" }, ValueError],
  ])("rejects unusable %s: %o", async (argument, options, kind) => {
    const failure = await failureOf(get(options as UserListOptions));
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ argument });
  });
});

describe("textOf", () => {
  it("reads UTF-8, and Windows-1252 where it can't be UTF-8", () => {
    expect(textOf(encode("2EØFVL"))).toBe("2EØFVL");
    expect(textOf(Uint8Array.of(0x32, 0x45, 0xd8, 0x46))).toBe("2EØF");
  });

  it("drops a byte order mark", () => {
    expect(textOf(encode("\ufeffW1AW"))).toBe("W1AW");
  });
});
