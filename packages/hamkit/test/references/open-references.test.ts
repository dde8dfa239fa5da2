import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError, ReferenceListError } from "../../src/errors.js";
import { openReferences } from "../../src/references.js";
import { fails, sends, startFileServer, type FileServer } from "../fixtures/file-server.js";
import { PARKS, SUMMITS } from "./lists.js";

let server: FileServer;
let cacheDir: string;
const warnings: string[] = [];
const logger = { warn: (message: string) => warnings.push(message) };

beforeEach(async () => {
  server = await startFileServer();
  cacheDir = await mkdtemp(join(tmpdir(), "hamkit-references-"));
  warnings.length = 0;
});
afterEach(async () => {
  await server.close();
  await rm(cacheDir, { recursive: true });
});

describe("openReferences", () => {
  it("downloads once, and then uses the copy", async () => {
    server.answers = [sends(PARKS)];
    const options = { url: server.url, cacheDir, logger };
    expect((await openReferences("pota", options)).size).toBe(8);
    expect((await openReferences("pota", options)).find("K-0001")?.name).toBe("Acadia National Park");
    expect((await openReferences("pota", { ...options, offline: true })).size).toBe(8);
    expect(server.requests).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("asks whether an expired copy has changed", async () => {
    server.answers = [sends(SUMMITS, { etag: '"1"' })];
    const options = { url: server.url, cacheDir, logger, maxAgeMs: 0 };
    await openReferences("sota", options);
    expect((await openReferences("sota", options)).size).toBe(2);
    expect(server.requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"']);
  });

  it("uses an old copy with a warning if the download fails", async () => {
    server.answers = [sends(PARKS), fails(404)];
    const options = { url: server.url, cacheDir, logger, maxAgeMs: 0 };
    await openReferences("pota", options);
    expect((await openReferences("pota", options)).size).toBe(8);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Using the copy of the list of parks of \d{4}-\d\d-\d\d: the download failed\. .*404/,
      ),
    ]);
  });

  it("never replaces a copy with a page of maintenance", async () => {
    server.answers = [sends(PARKS), sends("<html>Sorry</html>")];
    const options = { url: server.url, cacheDir, logger, maxAgeMs: 0 };
    await openReferences("pota", options);
    expect((await openReferences("pota", options)).size).toBe(8);
    expect((await openReferences("pota", { ...options, offline: true })).size).toBe(8);
  });

  it("fails without a copy", async () => {
    server.answers = [fails(404)];
    const options = { url: server.url, cacheDir, logger };
    await expect(openReferences("pota", options)).rejects.toThrow(IOError);
    await expect(openReferences("pota", { ...options, offline: true })).rejects.toThrow(
      /no copy of it was kept/,
    );
    server.answers = [sends("<html>Sorry</html>")];
    await expect(openReferences("pota", options)).rejects.toThrow(ReferenceListError);
  });

  it("reads a local file, also compressed, without a request", async () => {
    const filename = join(cacheDir, "parks.csv.gz");
    await writeFile(filename, gzipSync(PARKS));
    expect((await openReferences("pota", { filename })).size).toBe(8);
    await expect(openReferences("pota", { filename: join(cacheDir, "none.csv") })).rejects.toThrow(IOError);
  });

  it("warns of rows without a reference", async () => {
    const filename = join(cacheDir, "parks.csv");
    await writeFile(filename, `${PARKS}"Total","8"\n`);
    await openReferences("pota", { filename, logger });
    expect(warnings).toEqual(["Rows of the list of parks without a valid reference, left out: 1"]);
  });

  it.each(["gma", "__proto__", undefined])("rejects the program %s", async (program) => {
    await expect(openReferences(program as never)).rejects.toThrow(
      /program: .* is not one of pota, sota, wwff, iota/,
    );
  });
});
