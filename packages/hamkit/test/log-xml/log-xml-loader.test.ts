import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { APIKeyMissingError, IOError, LogXmlError } from "../../src/errors.js";
import { loadLogXml, type LogXmlLoaderOptions } from "../../src/log-xml/log-xml-loader.js";
import { fails, startFileServer, type FileServer } from "../fixtures/file-server.js";

const KEY = "s3cret-key";
const DAY = 24 * 60 * 60 * 1000;
const small = await readFile(new URL("../fixtures/small-log.xml", import.meta.url));
const later = Buffer.from(small.toString().replace("2026-02-01", "2026-03-01"));

let server: FileServer;
let changes: FileServer;
let cacheDir: string;
let warnings: string[];
let now: number;

beforeEach(async () => {
  server = await startFileServer();
  changes = await startFileServer();
  cacheDir = await mkdtemp(join(tmpdir(), "hamkit-log-xml-"));
  warnings = [];
  now = Date.UTC(2026, 1, 10);
});
afterEach(async () => {
  await server.close();
  await changes.close();
  await rm(cacheDir, { recursive: true });
});

function load(options: Partial<LogXmlLoaderOptions> = {}) {
  return loadLogXml({
    apikey: KEY,
    url: server.url,
    lastChangeUrl: changes.url,
    cacheDir,
    now: () => now,
    warn: (message) => warnings.push(message),
    limits: { retryDelayMs: 1, timeoutMs: 300 },
    ...options,
  });
}

/** Sends a body as a gzip file, as the service does. */
function packs(body: Uint8Array) {
  return (_: unknown, response: { end(body: Uint8Array): void }): void => response.end(gzipSync(body));
}

function says(text: string) {
  return (_: unknown, response: { end(body: string): void }): void => response.end(text);
}

describe("loadLogXml", () => {
  it("reads a local file, packed or not, without a key", async () => {
    const plain = join(cacheDir, "cty.xml");
    const packed = join(cacheDir, "cty.xml.gz");
    await writeFile(plain, small);
    await writeFile(packed, gzipSync(small));
    expect((await load({ filename: plain, apikey: undefined })).size).toBe(11);
    expect(await load({ filename: packed, apikey: undefined })).toMatchObject({
      name: packed,
      date: "2026-02-01",
    });
    expect(server.requests).toHaveLength(0);
  });

  it("fails for a local file that does not exist or is not log XML, and sends no request", async () => {
    await expect(load({ filename: join(cacheDir, "none.xml") })).rejects.toBeInstanceOf(IOError);
    const html = join(cacheDir, "cty.html");
    await writeFile(html, "<html></html>");
    await expect(load({ filename: html })).rejects.toBeInstanceOf(LogXmlError);
    expect(server.requests).toHaveLength(0);
  });

  it.each([undefined, "", "  "])("asks for a key before it asks the service: %o", async (apikey) => {
    await expect(load({ apikey })).rejects.toBeInstanceOf(APIKeyMissingError);
    expect(server.requests).toHaveLength(0);
  });

  it("downloads with the key, and keeps the file without it", async () => {
    server.answers = [packs(small)];
    const table = await load();
    expect([table.size, table.name]).toEqual([11, "log XML service"]);
    expect(new URL(server.requests[0]?.url ?? "", server.url).searchParams.get("api")).toBe(KEY);
    const [name = ""] = await readdir(cacheDir);
    expect((await readFile(join(cacheDir, name))).includes(KEY)).toBe(false);
    expect(name).not.toContain(KEY);
  });

  it("takes the copy of the same day without asking (files-are-downloaded-when-they-changed)", async () => {
    server.answers = [packs(small)];
    await load();
    now += DAY - 1;
    expect((await load()).size).toBe(11);
    expect([server.requests.length, changes.requests.length]).toEqual([1, 0]);
  });

  it("asks an older copy's service when the file last changed, and downloads only then (files-are-downloaded-when-they-changed)", async () => {
    server.answers = [packs(small), packs(later)];
    await load();
    now += 2 * DAY;
    changes.answers = [says("2026-02-09 08:00:00\n"), says("2026-02-12 10:00:00\n")];
    expect((await load()).date).toBe("2026-02-01");
    expect(server.requests).toHaveLength(1);
    now += DAY + 1;
    expect((await load()).date).toBe("2026-03-01");
    expect([server.requests.length, changes.requests.length]).toEqual([2, 2]);
  });

  it.each([
    ["an error", fails(500)],
    ["something else", says("<html>")],
  ])("downloads where the answer about changes is %s", async (_, answer) => {
    server.answers = [packs(small), packs(later)];
    await load();
    now += 2 * DAY;
    changes.answers = [answer];
    expect((await load()).date).toBe("2026-03-01");
  });

  it.each([401, 403])("fails for a refused key (HTTP %d), also where there is a copy", async (status) => {
    server.answers = [fails(status)];
    const failure: unknown = await load().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(APIKeyMissingError);
    server.answers = [packs(small)];
    await load();
    now += 2 * DAY;
    server.answers = [fails(status)];
    await expect(load()).rejects.toBeInstanceOf(APIKeyMissingError);
  });

  it("uses an old copy, with a warning, where no newer one is to be had", async () => {
    server.answers = [packs(small), fails(503)];
    await load();
    now += 30 * DAY;
    expect((await load()).size).toBe(11);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("Using the copy of the log XML of 2026-02-10. log XML service: ");
  });

  it.each([
    ["an HTML page with status 200", says("<html>Sorry</html>"), LogXmlError],
    [
      "half a gzip file",
      (_: unknown, response: { end(body: Uint8Array): void }) =>
        response.end(gzipSync(small).subarray(0, 500)),
      IOError,
    ],
    ["an HTTP error", fails(404), IOError],
  ])("fails for %s where there is no copy", async (_, answer, kind) => {
    server.answers = [answer];
    await expect(load()).rejects.toBeInstanceOf(kind);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it("discloses the key in no message, cause or warning", async () => {
    for (const answer of [fails(403), fails(404), fails(503), says("<html>"), () => undefined]) {
      server.answers = [answer];
      const failure: unknown = await load().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(inspect(failure, { depth: 10 })).not.toContain(KEY);
    }
    expect(warnings.join("\n")).not.toContain(KEY);
  });

  it("leaves the network alone when told so", async () => {
    await expect(load({ offline: true, apikey: undefined })).rejects.toThrow(
      "there is no cached copy of the file",
    );
    server.answers = [packs(small)];
    await load();
    now += 300 * DAY;
    expect((await load({ offline: true, apikey: undefined })).size).toBe(11);
    expect(server.requests).toHaveLength(1);
  });
});
