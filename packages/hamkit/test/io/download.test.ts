import { inspect } from "node:util";

import type { ServerResponse } from "node:http";

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
  it("returns the content and its validators", async () => {
    server.answers = [sends("hello", { etag: '"1"', "last-modified": "Sat, 07 Jun 2025 00:00:00 GMT" })];
    const answer = await download(server.url);
    expect(answer).toEqual({
      kind: "changed",
      content: new TextEncoder().encode("hello"),
      validators: { etag: '"1"', lastModified: "Sat, 07 Jun 2025 00:00:00 GMT" },
    });
  });

  it("is aborted by its signal, before, during and after a failure, with the signal's reason", async () => {
    const reason = new Error("closed");
    await expect(download(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
    for (const answer of [() => {}, fails(503)]) {
      server.answers = [answer];
      const controller = new AbortController();
      const failure = download(server.url, { ...QUICK, retries: 100, signal: controller.signal });
      setTimeout(() => controller.abort(reason), 20);
      await expect(failure).rejects.toBe(reason);
    }
  });

  it("sends the validators, and reports unchanged content", async () => {
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

  it("takes nothing that differs from the digest that the server sent, and tries again (RFC 9530)", async () => {
    // printf hello | openssl dgst -sha256 -binary | base64
    const digest = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:";
    server.answers = [
      sends("hallo", { "content-digest": digest }),
      sends("hello", { "content-digest": `unknown=:AA==:, ${digest}` }),
    ];
    expect(await download(server.url, QUICK)).toMatchObject({ content: new TextEncoder().encode("hello") });
    expect(server.requests).toHaveLength(2);
    server.answers = [sends("hallo", { "repr-digest": digest })];
    expect((await failureOf({ retries: 0 })).message).toContain("does not match the sha-256 digest");
  });

  it("tries again after a broken connection", async () => {
    server.answers = [(request) => request.socket.destroy(), sends("hello")];
    expect(await download(server.url, QUICK)).toMatchObject({ kind: "changed" });
  });

  it("uses another name for an address with a secret, and has the status", async () => {
    server.answers = [fails(403)];
    const failure = await failureOf({ name: "log service" });
    expect(failure.message).toBe("log service: the server responded with HTTP 403 Forbidden");
    expect([failure.resource, failure.status]).toEqual(["log service", 403]);
  });

  it("sends a form by POST", async () => {
    const bodies: string[] = [];
    server.answers = [
      (request, response) => {
        request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
        request.on("end", () => response.end("taken"));
      },
    ];
    await download(server.url, { form: new URLSearchParams({ json: '[{"C":"W1AW"}]' }) });
    expect(server.requests[0]?.method).toBe("POST");
    expect(new URLSearchParams(bodies.join("")).get("json")).toBe('[{"C":"W1AW"}]');
  });

  it("gives up after the last try, naming address and reason", async () => {
    server.answers = [fails(503)];
    const failure = await failureOf();
    expect(failure.message).toBe(`${server.url}: the server responded with HTTP 503 Service Unavailable`);
    expect(server.requests).toHaveLength(3);
  });

  it.each([403, 404])("does not try again after HTTP %d", async (status) => {
    server.answers = [fails(status)];
    expect((await failureOf()).message).toContain(`HTTP ${status}`);
    expect(server.requests).toHaveLength(1);
  });

  it("ends a response that never ends by the timeout (downloads-have-a-time-limit)", async () => {
    server.answers = [(_, response) => response.writeHead(200).write("he")];
    expect((await failureOf({ retries: 0 })).message).toContain("no data received for 300 ms");
  });

  it("waits for a slow response as long as data arrives", async () => {
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
      content: new TextEncoder().encode("xxxxxxxx"),
    });
  });

  it("rejects a response that is too large", async () => {
    server.answers = [sends("x".repeat(2000))];
    expect((await failureOf({ maxBytes: 1000 })).message).toContain("more than 1000 bytes");
  });

  it("rejects a response that is shorter than announced", async () => {
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

  /** Fails once with HTTP 429 and this header, then answers. */
  function busy(retryAfter: string): FileServer["answers"] {
    return [(_, response) => response.writeHead(429, { "retry-after": retryAfter }).end(), sends("hello")];
  }

  /** What `download` waited for, with the waiting left out. */
  async function waitsOf(options = {}): Promise<number[]> {
    const waits: number[] = [];
    const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    await download(server.url, { ...QUICK, wait, maxWaitMs: 60_000, ...options });
    return waits;
  }

  it("waits twice as long before each further try", async () => {
    server.answers = [fails(503), fails(503), sends("hello")];
    expect(await waitsOf({ retryDelayMs: 500 })).toEqual([500, 1000]);
  });

  it("waits for Retry-After, in seconds or until a date", async () => {
    server.answers = busy("7");
    expect(await waitsOf()).toEqual([7000]);
    server.answers = busy(new Date(Date.now() + 30_000).toUTCString());
    const [wait = 0] = await waitsOf();
    expect(wait).toBeGreaterThan(25_000);
    expect(wait).toBeLessThanOrEqual(30_000);
    for (const meaningless of ["-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
      server.answers = busy(meaningless);
      expect(await waitsOf()).toEqual([1]);
    }
  });

  it("fails if Retry-After exceeds the maximum wait", async () => {
    server.answers = busy("3600");
    const failure = await failureOf({ maxWaitMs: 60_000 });
    expect(failure.message).toContain("HTTP 429 Too Many Requests; retry after 3600 s");
    expect(failure.status).toBe(429);
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])("follows HTTP %d on the same server", async (status) => {
    server.answers = [
      (_, response) => response.writeHead(status, { location: "/elsewhere?key=1" }).end(),
      sends("hello"),
    ];
    expect(await download(server.url, { redirect: "same-origin" })).toMatchObject({ kind: "changed" });
    expect(server.requests.map(({ url }) => url)).toEqual(["/cty.plist", "/elsewhere?key=1"]);
  });

  it("passes no address on to another server where it shall stay on its own", async () => {
    const other = await startFileServer();
    other.answers = [sends("stolen")];
    const leads = (_: unknown, response: ServerResponse): void => {
      response.writeHead(302, { location: `${other.url}?key=secret` }).end();
    };
    server.answers = [leads];
    const failure = await failureOf({ redirect: "same-origin", name: "log service" });
    expect(failure.message).toBe(
      "log service: the server responded with HTTP 302 Found, a redirect to another origin",
    );
    expect(other.requests).toHaveLength(0);
    expect(await download(server.url)).toMatchObject({ kind: "changed" });
    await other.close();
  });

  it("follows no redirect that would drop the form, nor one that goes round", async () => {
    const form = new URLSearchParams({ a: "1" });
    server.answers = [(_, response) => response.writeHead(302, { location: "/elsewhere" }).end()];
    expect(await failureOf({ redirect: "same-origin", form })).toMatchObject({ status: 302 });
    expect(server.requests).toHaveLength(1);
    expect(await failureOf({ redirect: "same-origin" })).toMatchObject({ status: 302 });
    expect(server.requests.length).toBeLessThan(30);
    server.answers = [
      (_, response) => response.writeHead(307, { location: "/elsewhere" }).end(),
      (request, response) => request.pipe(response),
    ];
    expect(await download(server.url, { redirect: "same-origin", form })).toMatchObject({
      content: new TextEncoder().encode("a=1"),
    });
  });

  it("does not retry an unknown host name", async () => {
    const start = performance.now();
    const failure: unknown = await download("http://hamkit.invalid/cty.plist", {
      retryDelayMs: 60_000,
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IOError);
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe("a download with secrets", () => {
  const secrets = ["hunter 2"];

  it("is not called by them, where it has no other name, nor by what the server repeats of them", async () => {
    server.answers = [(_, response) => response.writeHead(404, "No hunter+2").end()];
    const failure: unknown = await download(`${server.url}?p=hunter%202`, { secrets }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      message: `${server.url}?p=***: the server responded with HTTP 404 No ***`,
      resource: `${server.url}?p=***`,
    });
  });

  it("keeps the response out of the cause if it is not HTTP", async () => {
    server.answers = [
      ({ socket }) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZhunter 2"),
    ];
    const failure = await failureOf({ secrets, retries: 0 });
    expect(failure.cause).toBeInstanceOf(Error);
    expect(inspect(failure, { depth: Infinity, showHidden: true })).not.toContain("hunter");
  });
});
