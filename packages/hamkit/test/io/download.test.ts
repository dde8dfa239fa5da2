import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import { download } from "../../src/io/download.js";
import { fails, sends, startFileServer, type FileServer } from "../fixtures/file-server.js";

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.close());

const QUICK = { retryDelayMs: 1, timeoutMs: 300 };

async function failureOf(options = {}): Promise<IOError> {
  const failure: unknown = await download(server.url, { ...QUICK, ...options }).catch(
    (error: unknown) => error,
  );
  if (!(failure instanceof IOError)) throw new Error(`No IOError: ${String(failure)}`);
  return failure;
}

describe("download", () => {
  it("gets the content and what the server says of its version", async () => {
    server.answers = [sends("hello", { etag: '"1"', "last-modified": "Sat, 07 Jun 2025 00:00:00 GMT" })];
    const answer = await download(server.url);
    expect(answer).toEqual({
      kind: "changed",
      content: Buffer.from("hello"),
      validators: { etag: '"1"', lastModified: "Sat, 07 Jun 2025 00:00:00 GMT" },
    });
  });

  it("asks with the validators, and knows that nothing has changed", async () => {
    server.answers = [sends("hello", { etag: '"1"' })];
    const validators = { etag: '"1"', lastModified: "Sat, 07 Jun 2025 00:00:00 GMT" };
    expect(await download(server.url, { validators })).toEqual({ kind: "unchanged" });
    expect(server.requests[0]?.headers).toMatchObject({
      "if-none-match": '"1"',
      "if-modified-since": "Sat, 07 Jun 2025 00:00:00 GMT",
    });
  });

  it.each([429, 500, 503])("tries again after HTTP %d", async (status) => {
    server.answers = [fails(status), fails(status), sends("hello")];
    expect(await download(server.url, QUICK)).toMatchObject({ kind: "changed" });
    expect(server.requests).toHaveLength(3);
  });

  it("tries again after a broken connection", async () => {
    server.answers = [(request) => request.socket.destroy(), sends("hello")];
    expect(await download(server.url, QUICK)).toMatchObject({ kind: "changed" });
  });

  it("gives up after the last try, naming address and reason", async () => {
    server.answers = [fails(503)];
    const failure = await failureOf();
    expect(failure.message).toBe(`${server.url}: the server answered with HTTP 503 Service Unavailable`);
    expect(server.requests).toHaveLength(3);
  });

  it.each([403, 404])("does not try again after HTTP %d", async (status) => {
    server.answers = [fails(status)];
    expect((await failureOf()).message).toContain(`HTTP ${status}`);
    expect(server.requests).toHaveLength(1);
  });

  it("waits no longer than it may for an answer that never ends", async () => {
    server.answers = [(_, response) => response.writeHead(200).write("he")];
    expect((await failureOf({ retries: 0 })).message).toContain("nothing came for 300 ms");
  });

  it("waits for a slow answer as long as something comes", async () => {
    server.answers = [
      (_, response) => {
        response.writeHead(200);
        let parts = 0;
        const timer = setInterval(() => {
          response.write("x");
          if (++parts < 8) return;
          clearInterval(timer);
          response.end();
        }, 100);
      },
    ];
    expect(await download(server.url, QUICK)).toMatchObject({
      kind: "changed",
      content: Buffer.from("xxxxxxxx"),
    });
  });

  it("refuses an answer that is too large", async () => {
    server.answers = [sends("x".repeat(2000))];
    expect((await failureOf({ maxBytes: 1000 })).message).toContain("more than 1000 bytes");
  });

  it("refuses an answer that is shorter than announced", async () => {
    server.answers = [
      (_, response) => {
        response.writeHead(200, { "content-length": "100" }).write("he");
        setTimeout(() => response.destroy(), 20);
      },
    ];
    expect((await failureOf({ retries: 0 })).message).toContain("the network failed");
  });

  it("has the failure itself as its cause", async () => {
    await server.close();
    const failure = await failureOf({ retries: 0 });
    expect(failure).toMatchObject({ code: "io/failed", resource: server.url });
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it("does not wait for a name that nobody knows to become known", async () => {
    const start = performance.now();
    const failure: unknown = await download("http://hamkit.invalid/cty.plist", {
      retryDelayMs: 60_000,
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IOError);
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});
