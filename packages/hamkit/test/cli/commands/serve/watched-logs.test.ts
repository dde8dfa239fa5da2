import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { watchLogs, type WatchedLogs } from "../../../../src/cli/commands/serve/watched-logs.js";
import { loadEmbeddedCountryFile } from "../../../../src/lookup.js";

let folder: string;
let logs: WatchedLogs | undefined;
let changes = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "watched-logs-"));
  changes = 0;
});
afterEach(async () => {
  logs?.close();
  await rm(folder, { recursive: true });
});

const contact = (call: string, dxcc: number, band = "20m", more = "") =>
  `<CALL:${call.length}>${call} <QSO_DATE:8>20240601 <BAND:${band.length}>${band} <MODE:2>CW ` +
  `<DXCC:${String(dxcc).length}>${dxcc} ${more}<EOR>\n`;
const HEADER = "A log\n<ADIF_VER:5>3.1.4 <EOH>\n";

async function watch(...names: readonly string[]): Promise<WatchedLogs> {
  logs = await watchLogs(
    names.map((name) => join(folder, name)),
    { onChange: () => changes++, table: await loadEmbeddedCountryFile() },
  );
  return logs;
}

/** The states of the entity of Japan, ADIF's 339, on 20 m in CW. */
const japan = (watched: WatchedLogs) =>
  watched
    .needs({ dx: "JA1ABC", band: "20m", mode: "CW" })
    .filter(({ key }) => key === "dxcc.band.20m")
    .map(({ state }) => state);

describe("watchLogs", () => {
  it("counts what a program appends, and nothing twice", async () => {
    const path = join(folder, "a.adi");
    await writeFile(path, HEADER + contact("W1AW", 291));
    const watched = await watch("a.adi");
    expect(watched.statuses()).toEqual([{ name: "a.adi", contacts: 1, problem: undefined }]);
    expect(japan(watched)).toEqual(["new"]);
    await appendFile(path, contact("JA1XYZ", 339));
    await watched.check();
    expect(japan(watched)).toEqual(["unconfirmed"]);
    expect(watched.statuses()[0]?.contacts).toBe(2);
    await watched.check();
    expect(watched.statuses()[0]?.contacts).toBe(2);
    expect(changes).toBe(1);
  });

  it("counts a log in FLE, anew when a line is added", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "mycall dl0xyz\n2024-06-01 20m cw\n1200 w1aw\n");
    const watched = await watch("a.txt");
    expect(watched.statuses()).toEqual([{ name: "a.txt", contacts: 1, problem: undefined }]);
    expect(japan(watched)).toEqual(["new"]);
    await appendFile(path, "2 ja1xyz\n");
    await watched.check();
    expect(japan(watched)).toEqual(["unconfirmed"]);
    expect(watched.statuses()[0]?.contacts).toBe(2);
  });

  it("waits for the end of a contact that is still being written", async () => {
    const path = join(folder, "a.adi");
    await writeFile(path, HEADER + contact("W1AW", 291));
    const watched = await watch("a.adi");
    const text = contact("JA1XYZ", 339);
    await appendFile(path, text.slice(0, 25));
    await watched.check();
    expect(japan(watched)).toEqual(["new"]);
    await appendFile(path, text.slice(25));
    await watched.check();
    expect(japan(watched)).toEqual(["unconfirmed"]);
    expect(watched.statuses()[0]?.contacts).toBe(2);
  });

  it("counts a log anew that was rewritten, also by one of the same size", async () => {
    const path = join(folder, "a.adi");
    await writeFile(path, HEADER + contact("JA1XYZ", 339));
    const watched = await watch("a.adi");
    expect(japan(watched)).toEqual(["unconfirmed"]);
    await writeFile(`${path}.new`, HEADER + contact("DL1XYZ", 230) + contact("F1XYZ", 227));
    await rename(`${path}.new`, path);
    await watched.check();
    expect(japan(watched)).toEqual(["new"]);
    expect(watched.statuses()[0]?.contacts).toBe(2);
    await writeFile(path, HEADER + contact("JA1XYZ", 339, "20m", "<LOTW_QSL_RCVD:1>Y "));
    await watched.check();
    expect(japan(watched)).toEqual([]);
  });

  it("counts several logs together", async () => {
    await writeFile(join(folder, "a.adi"), HEADER + contact("W1AW", 291));
    await writeFile(join(folder, "b.adi"), contact("JA1XYZ", 339));
    const watched = await watch("a.adi", "b.adi");
    expect(japan(watched)).toEqual(["unconfirmed"]);
    await appendFile(join(folder, "b.adi"), contact("DL1XYZ", 230));
    await watched.check();
    expect(watched.statuses().map(({ contacts }) => contacts)).toEqual([1, 2]);
  });

  it("keeps what it has counted of a log that disappears, and reads it when it is back", async () => {
    const path = join(folder, "a.adi");
    await writeFile(path, HEADER + contact("JA1XYZ", 339));
    const watched = await watch("a.adi");
    await rm(path);
    await watched.check();
    expect(watched.statuses()[0]?.problem).toContain("ENOENT");
    expect(japan(watched)).toEqual(["unconfirmed"]);
    await writeFile(path, HEADER + contact("W1AW", 291));
    await watched.check();
    expect(watched.statuses()[0]?.problem).toBeUndefined();
    expect(japan(watched)).toEqual(["new"]);
  });

  it("counts contacts that a program reports, also after a log was rewritten", async () => {
    const path = join(folder, "a.adi");
    await writeFile(path, HEADER + contact("W1AW", 291));
    const watched = await watch("a.adi");
    watched.add({ CALL: "JA1XYZ", QSO_DATE: "20240601", BAND: "20m", MODE: "CW", DXCC: "339" });
    expect(japan(watched)).toEqual(["unconfirmed"]);
    await writeFile(path, HEADER + contact("DL1XYZ", 230));
    await watched.check();
    expect(japan(watched)).toEqual(["unconfirmed"]);
  });

  it("has a problem for what is no log", async () => {
    await writeFile(join(folder, "a.adi"), Buffer.from("PK\u0003\u0004zipped"));
    expect((await watch("a.adi")).statuses()[0]?.problem).toContain("a log in ADIF");
  });
});
