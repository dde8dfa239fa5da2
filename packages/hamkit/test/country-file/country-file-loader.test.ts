import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { CountryFileError, IOError } from "../../src/errors.js";
import { cachePathOf } from "../../src/io/cached-download.js";
import {
  loadCountryFile,
  type CountryFileLoaderOptions,
} from "../../src/country-file/country-file-loader.js";
import { fails, sends, startFileServer, type FileServer } from "../fixtures/file-server.js";
import { SMALL_FILE } from "../fixtures/small-table.js";

const DAY = 24 * 60 * 60 * 1000;

let server: FileServer;
/** The name of the copy. */
let CACHED: string;
let cacheDir: string;
let small: string;
let now: number;
let warnings: string[];

beforeEach(async () => {
  server = await startFileServer();
  cacheDir = await mkdtemp(join(tmpdir(), "hamkit-cache-"));
  small = await readFile(SMALL_FILE, "utf8");
  CACHED = basename(cachePathOf("country-file", { url: server.url }) ?? "none");
  now = Date.UTC(2026, 0, 1);
  warnings = [];
});
afterEach(async () => {
  await server.close();
  await rm(cacheDir, { recursive: true, force: true });
});

function load(options: Partial<CountryFileLoaderOptions> = {}) {
  return loadCountryFile({
    url: server.url,
    cacheDir,
    now: () => now,
    warn: (message) => warnings.push(message),
    minEntities: 20,
    limits: { retries: 1, retryDelayMs: 1, timeoutMs: 500 },
    ...options,
  });
}

/** The same small file as of another day. */
function edition(day: string): string {
  return small.replace("VER20250607", `VER${day}`);
}

describe("loadCountryFile", () => {
  it("downloads once and takes the copy for a week", async () => {
    server.answers = [sends(edition("20251201"))];
    expect((await load()).release).toBe("VER20251201");
    now += 6 * DAY;
    expect((await load()).release).toBe("VER20251201");
    expect(server.requests).toHaveLength(1);
  });

  it("asks after a week whether the file has changed, and takes the copy for another week if not", async () => {
    server.answers = [sends(edition("20251201"), { etag: '"a"' })];
    await load();
    now += 8 * DAY;
    expect((await load()).release).toBe("VER20251201");
    expect(server.requests[1]?.headers["if-none-match"]).toBe('"a"');
    now += 6 * DAY;
    await load();
    expect(server.requests).toHaveLength(2);
  });

  it("takes the new file once there is one", async () => {
    server.answers = [
      sends(edition("20251201"), { etag: '"a"' }),
      sends(edition("20251224"), { etag: '"b"' }),
    ];
    await load();
    now += 8 * DAY;
    expect((await load()).release).toBe("VER20251224");
    expect((await load()).release).toBe("VER20251224");
    expect(server.requests).toHaveLength(2);
  });

  it("falls back to the old copy, warns with its date, and leaves it as it was", async () => {
    server.answers = [sends(edition("20251201")), fails(503)];
    await load();
    const copy = await readFile(join(cacheDir, CACHED));
    now += 100 * DAY;
    expect((await load()).release).toBe("VER20251201");
    expect(warnings).toEqual([expect.stringMatching(/the copy of the country file of 2026-01-01.*HTTP 503/)]);
    expect(await readFile(join(cacheDir, CACHED))).toEqual(copy);
    expect(await readdir(cacheDir)).toEqual([CACHED]);
  });

  it.each([
    ["an HTML page with status 200", "<!DOCTYPE html><html>Maintenance</html>"],
    ["half a file", "Malta: 15: 28: EU: 35.88: -14.42: -1.0: 9H:\n  9H,"],
    ["nothing", ""],
    ["a country file of one entity", "Malta: 15: 28: EU: 35.88: -14.42: -1.0: 9H:\n  9H;"],
  ])("takes no download that is %s, and keeps the copy", async (_, body) => {
    server.answers = [sends(edition("20251201")), sends(body)];
    await load();
    const copy = await readFile(join(cacheDir, CACHED));
    now += 8 * DAY;
    expect((await load()).release).toBe("VER20251201");
    expect(warnings).toEqual([expect.stringContaining(server.url)]);
    expect(await readFile(join(cacheDir, CACHED))).toEqual(copy);
  });

  it("falls back to the embedded data where there is neither network nor copy, and warns with its date", async () => {
    await server.close();
    const file = await load();
    expect(file.name).toContain("embedded");
    expect(warnings).toEqual([expect.stringContaining(`the embedded country file of ${file.date}`)]);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it.each(["", "{}\n", "no header", '{"url":"http://elsewhere/","checkedAt":9999999999999}\nx'])(
    "downloads anew where the copy is damaged: %o",
    async (content) => {
      await writeFile(join(cacheDir, CACHED), content);
      server.answers = [sends(edition("20251201"))];
      expect((await load()).release).toBe("VER20251201");
    },
  );

  it("downloads anew, without validators, where the copy has lost its end", async () => {
    server.answers = [sends(edition("20251201"), { etag: '"a"' })];
    await load();
    const copy = await readFile(join(cacheDir, CACHED));
    await writeFile(join(cacheDir, CACHED), copy.subarray(0, copy.length - 30));
    expect((await load()).release).toBe("VER20251201");
    expect(server.requests[1]?.headers["if-none-match"]).toBeUndefined();
  });

  it("uses the download, with a warning, where it can't be kept", async () => {
    server.answers = [sends(edition("20251201"))];
    await writeFile(join(cacheDir, "file"), "");
    expect((await load({ cacheDir: join(cacheDir, "file", "below") })).release).toBe("VER20251201");
    expect(warnings).toEqual([expect.stringContaining("could not be cached")]);
  });

  it("serves two loads at once", async () => {
    server.answers = [sends(edition("20251201"))];
    const files = await Promise.all([load(), load(), load()]);
    expect(files.map(({ release }) => release)).toEqual(Array(3).fill("VER20251201"));
    expect(await readdir(cacheDir)).toEqual([CACHED]);
  });

  it("sends no request in offline mode", async () => {
    server.answers = [sends(edition("20251201"))];
    expect((await load({ offline: true })).name).toContain("embedded");
    await load();
    expect((await load({ offline: true })).release).toBe("VER20251201");
    expect(server.requests).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("reads a local file, and neither cache nor network", async () => {
    const filename = join(cacheDir, "my.dat");
    await writeFile(filename, edition("20200101"));
    expect((await load({ filename })).name).toBe(`${filename} VER20200101`);
    expect(server.requests).toHaveLength(0);
  });

  it("fails for a local file that isn't there or isn't one", async () => {
    await expect(load({ filename: join(cacheDir, "none") })).rejects.toBeInstanceOf(IOError);
    const filename = join(cacheDir, "page.html");
    await writeFile(filename, "<html></html>");
    await expect(load({ filename })).rejects.toBeInstanceOf(CountryFileError);
  });

  it("keeps the copies of two addresses apart", async () => {
    server.answers = [sends(edition("20251201")), sends(edition("20251224"))];
    await load();
    const other = server.url.replace("cty.plist", "other.plist");
    await load({ url: other });
    expect((await load({ offline: true })).release).toBe("VER20251201");
    expect((await load({ url: other, offline: true })).release).toBe("VER20251224");
  });

  it("takes a copy of which bits have flipped for none, wherever they are (kept-copies-have-a-checksum)", async () => {
    server.answers = [sends(edition("20251201"), { etag: '"a"' })];
    await load();
    const copy = await readFile(join(cacheDir, CACHED));
    const step = Math.ceil(copy.length / 60);
    for (let place = 0; place + 5 < copy.length; place += step) {
      const damaged = Buffer.from(copy);
      // Two bits, as in a letter that becomes another letter: W1AW of another country.
      damaged.writeUInt8(damaged.readUInt8(place) ^ 1, place);
      damaged.writeUInt8(damaged.readUInt8(place + 5) ^ 2, place + 5);
      await writeFile(join(cacheDir, CACHED), damaged);
      expect((await load({ offline: true })).name).toContain("embedded");
    }
    server.requests.length = 0;
    expect((await load()).release).toBe("VER20251201");
    expect(server.requests[0]?.headers["if-none-match"]).toBeUndefined();
    expect(await readFile(join(cacheDir, CACHED))).toEqual(copy);
  });

  it("warns of entries that a new version lacks, with their number", async () => {
    const lines = edition("20251224").split("\n");
    const cut = lines.findIndex((line) => line.includes("W6"));
    const without = lines.map((line, index) => (index === cut ? line.replace("W6", "W5") : line)).join("\n");
    server.answers = [sends(edition("20251201")), sends(without)];
    await load();
    now += 8 * DAY;
    await load();
    expect(cut).toBeGreaterThan(0);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^country file: \d+ of the \d+ entries of .*VER20251201 are missing in .*VER20251224$/,
      ),
    ]);
  });

  it("warns of a local cty.dat and cty.csv whose last entities are missing (truncated-files-are-noticed)", async () => {
    const place = (index: number): string =>
      String.fromCharCode(65 + Math.floor(index / 26)) + String.fromCharCode(65 + (index % 26));
    const rows = Array.from(
      { length: 345 },
      (_, index) => `${place(index)},Land ${index},${index + 1},EU,14,28,1.0,-1.0,-1.0,${place(index)};`,
    );
    const filename = join(cacheDir, "cty.csv");
    await writeFile(filename, rows.join("\r\n"));
    await load({ filename });
    expect(warnings).toEqual([]);
    await writeFile(filename, rows.slice(0, 200).join("\r\n"));
    await load({ filename });
    expect(warnings).toEqual([
      `${filename} has 200 of the 340 DXCC entities: the end of the file may be missing`,
    ]);
  });
});
