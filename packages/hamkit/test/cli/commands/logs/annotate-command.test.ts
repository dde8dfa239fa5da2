import { link, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DATA, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-annotate-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const LOG = [
  "my log",
  "<EOH>",
  "<CALL:6>DL1ABC <QSO_DATE:8>20240101 <TIME_ON:4>1200 <BAND:3>20m <EOR>",
  "<CALL:6>JA1ABC <QSO_DATE:8>20240101 <TIME_ON:4>1201 <BAND:3>40m <EOR>",
  "",
].join("\n");

/** Distances and headings by the haversine formula, worked out elsewhere. */
const ANNOTATED = LOG.replace(
  "20m ",
  "20m <COUNTRY:20>Fed. Rep. of Germany <DXCC:3>230 <CQZ:2>14 <ITUZ:2>28 <CONT:2>EU <DISTANCE:5>279.3 <APP_HAMKIT_HEADING:1:N>9 ",
).replace(
  "40m ",
  "40m <COUNTRY:5>Japan <DXCC:3>339 <CQZ:2>25 <ITUZ:2>45 <CONT:2>AS <DISTANCE:6>9311.4 <APP_HAMKIT_HEADING:2:N>39 ",
);

/** A file in the folder of the test; the path of it. */
async function file(name: string, content: string | Uint8Array = LOG): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const read = (name: string) => readFile(join(folder, name), "utf8");

describe("hamkit annotate", () => {
  it("writes a new file beside the log, and an account of it", async () => {
    const path = await file("my.adi");
    const { stdout, stderr, exitCode } = await hamkit(["annotate", path, "--from", "jn48qm", ...IN_FILE]);
    expect(await read("my.annotated.adi")).toBe(ANNOTATED);
    expect(await read("my.adi")).toBe(LOG);
    expect(await readdir(folder)).toEqual(["my.adi", "my.annotated.adi"]);
    expect(stdout).toBe(
      [
        `${join(folder, "my.annotated.adi")}: 2 QSOs, 14 values added`,
        "",
        "Entity                DXCC  QSOs",
        "Fed. Rep. of Germany   230     1",
        "Japan                  339     1",
        "",
        "CQ zones",
        "14: 1   25: 1",
        "",
        "Bands",
        "40m: 1   20m: 1",
        "",
        DATA,
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it("gives programs one document, with everything that is wrong", async () => {
    const text = LOG.replace("<EOH>", "<EOH>\n<CALL:5>QQ0QQ <TIME_ON:4>1200 <EOR>").replace(
      "<BAND:3>20m",
      "<CQZ:1>5",
    );
    const path = await file("my.adi", text);
    const output = join(folder, "out.csv");
    const document = await hamkitJson(["annotate", path, "-o", output, "--to", "csv", ...IN_FILE]);
    expect(document).toMatchObject({
      input: path,
      output,
      format: "csv",
      data: { date: "2024-06-01" },
      summary: { qsos: 3, identified: 2, added: 9, replaced: 0, bands: [{ band: "40m", qsos: 1 }] },
      unidentified: [{ line: 3, call: "QQ0QQ", reason: "unknown" }],
      disagreements: [{ line: 4, call: "DL1ABC", field: "CQZ", logged: "5", found: "14" }],
      problems: [{ line: 3, kind: "date", message: "QSO_DATE is missing" }],
      problemCount: 1,
    });
    expect(await read("out.csv")).toMatch(
      /^CALL,TIME_ON,QSO_DATE,CQZ,COUNTRY,DXCC,ITUZ,CONT,BAND\r\nQQ0QQ,1200,,/,
    );
  });

  it("lists what it could not do for people, and ends with 1", async () => {
    const strangers = Array.from(
      { length: 12 },
      (_, index) => `<CALL:6>QQ${index + 10}QQ<QSO_DATE:8>20240101<TIME_ON:4>1200<EOR>`,
    );
    const path = await file(
      "my.adi",
      `${strangers.join("\n")}\n<CALL:6>DL1ABC<CQZ:1>5<EOR>\n<CALL:9>\u001B[31m`,
    );
    const { stdout, stderr, exitCode } = await hamkit(["annotate", path, ...IN_FILE]);
    expect(stdout).toContain(
      [
        "Not identified: 13 QSOs",
        "  line 1  QQ10QQ unknown callsign",
        "  line 2  QQ11QQ unknown callsign",
      ].join("\n"),
    );
    expect(stdout).toContain("  line 10  QQ19QQ unknown callsign\n  and 3 more; --json has all\n");
    expect(stdout).toContain(
      "Differing values of the log (kept): 1\n  line 13  DL1ABC CQZ 5 in the log, 14 found\n",
    );
    expect(stdout).toContain(
      "Problems in the log: 4\n  line 14  CALL: the declared length is 9, but the file ends earlier\n",
    );
    expect(stdout).not.toContain("\u001B");
    expect(stderr).toBe("error: no result for 13 of 14 QSOs\nerror: 4 problems in the log\n");
    expect(exitCode).toBe(1);
  });

  it("replaces values with --overwrite, and reports that", async () => {
    const path = await file("my.adi", LOG.replace("<BAND:3>20m", "<CQZ:1>5"));
    const { stdout } = await hamkit(["annotate", path, "--overwrite", ...IN_FILE]);
    expect(stdout).toContain("2 QSOs, 9 values added, 1 value replaced\n");
    expect(stdout).toContain("Differing values of the log (replaced): 1");
    expect(await read("my.annotated.adi")).toContain("<CQZ:2>14 <COUNTRY");
  });

  it("writes .adi for Cabrillo, .adx for .adx, and the format of --to", async () => {
    const cabrillo =
      "START-OF-LOG: 3.0\nQSO: 14042 CW 2024-01-01 0000 DH1TW 599 1 DL1ABC 599 2\nEND-OF-LOG:\n";
    await hamkit(["annotate", await file("a.cbr", cabrillo), ...IN_FILE]);
    await hamkit([
      "annotate",
      await file("b.adx", "<ADX><RECORDS><RECORD><CALL>DL1ABC</CALL></RECORD></RECORDS></ADX>"),
      ...IN_FILE,
    ]);
    await hamkit(["annotate", await file("c.adi"), "--to", "json", ...IN_FILE]);
    expect(await readdir(folder)).toEqual(
      ["a.cbr", "a.annotated.adi", "b.adx", "b.annotated.adx", "c.adi", "c.annotated.json"].sort(),
    );
    // From one's own call of the log: the middle of Germany to the middle of Germany.
    expect(await read("a.annotated.adi")).toContain(
      "<CONT:2>EU <DISTANCE:1>0 <APP_HAMKIT_HEADING:1:N>0 <EOR>",
    );
    expect(await read("b.annotated.adx")).toContain("<DXCC>230</DXCC>");
    expect(JSON.parse(await read("c.annotated.json"))).toMatchObject({
      qsos: [{ DXCC: "230" }, { DXCC: "339" }],
    });
  });

  it("replaces an existing file only with --force", async () => {
    const path = await file("my.adi");
    const output = await file("my.annotated.adi", "precious");
    const { stderr, exitCode } = await hamkit(["annotate", path, ...IN_FILE]);
    expect(stderr).toBe(
      `error: --output: ${output} already exists; --force replaces it, -o names another file\n`,
    );
    expect(exitCode).toBe(2);
    expect(await read("my.annotated.adi")).toBe("precious");
    expect((await hamkit(["annotate", path, "--from", "JN48QM", "--force", ...IN_FILE])).exitCode).toBe(0);
    expect(await read("my.annotated.adi")).toBe(ANNOTATED);
  });

  it.skipIf(process.platform === "win32").each([
    ["the same path", (path: string) => Promise.resolve(path)],
    [
      "another spelling of it",
      (path: string) =>
        Promise.resolve(join(folder, "..", folder.split("/").at(-1) ?? "", path.slice(folder.length))),
    ],
    ["a symbolic link", async (path: string) => symlink(path, `${path}.link`).then(() => `${path}.link`)],
    ["a hard link", async (path: string) => link(path, `${path}.link`).then(() => `${path}.link`)],
  ])("never writes to the log itself, not even forced: %s", async (_, outputOf) => {
    const path = await file("my.adi");
    const output = await outputOf(path);
    const { stderr, exitCode } = await hamkit(["annotate", path, "-o", output, "--force", ...IN_FILE]);
    expect(stderr).toBe(
      `error: --output: ${output} is the input log, which is never changed; name another file with -o\n`,
    );
    expect(exitCode).toBe(2);
    expect(await read("my.adi")).toBe(LOG);
  });

  it("shows how far it is on a terminal, and nowhere else", async () => {
    const path = await file("my.adi", LOG.split("\n")[2]?.repeat(3000));
    const { stdout, stderr } = await hamkit(["annotate", path, ...IN_FILE], {
      isTerminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(stderr).toBe(
      `\rAnnotating [${"#".repeat(10)}${" ".repeat(20)}] 33 %\rAnnotating [${"#".repeat(20)}${" ".repeat(10)}] 66 %\rAnnotating [${"#".repeat(30)}] 100 %\r\u001B[K`,
    );
    expect(stdout).not.toContain("\r");
    const dumb = { isTerminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };
    expect((await hamkit(["annotate", path, "--force", ...IN_FILE], dumb)).stderr).toBe("");
  });

  it("breaks long lists of zones to the width of the terminal", async () => {
    const zones = Array.from(
      { length: 40 },
      (_, index) => `<CQZ:2>${String(index + 1).padStart(2, "0")}<EOR>`,
    );
    const { stdout } = await hamkit(["annotate", await file("my.adi", zones.join("\n")), ...IN_FILE], {
      columns: 60,
    });
    const lines = stdout.slice(stdout.indexOf("CQ zones\n")).split("\n\n", 1)[0]?.split("\n") ?? [];
    expect(lines.length).toBe(7);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it.each([
    ["is missing", "none.adi", /^error: .*none\.adi: the file can't be read: ENOENT/],
    ["is a folder", ".", /^error: .*: the file can't be read: EISDIR/],
    [
      "is no log",
      "no.log",
      /^error: .*no\.log: expected a log in ADIF, Cabrillo, EDI or FLE, found "hello"\n$/,
    ],
    ["is huge", "huge.adi", /^error: .*huge\.adi: expected a log of 256 MB or less, found one of 1024 MB\n$/],
  ])("ends with 3 where the log %s", async (_, name, message) => {
    await file("no.log", "hello");
    await truncate(await file("huge.adi"), 2 ** 30);
    const { stdout, stderr, exitCode } = await hamkit(["annotate", join(folder, name), ...IN_FILE]);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(exitCode).toBe(3);
    expect(await readdir(folder)).toEqual(["huge.adi", "no.log"]);
  });

  it("ends with 2 if the locator is invalid, or the output file is a folder", async () => {
    const path = await file("my.adi");
    const { stderr, exitCode } = await hamkit(["annotate", path, "--from", "JN48ZZ", ...IN_FILE]);
    expect(stderr).toBe(
      'error: --from: "JN48ZZ" is not a locator: character 5 must be a letter from A to X\n',
    );
    expect(exitCode).toBe(2);
    expect((await hamkit(["annotate", path, "-o", folder, "--force", ...IN_FILE])).stderr).toContain(
      "is a folder",
    );
    expect((await hamkit(["annotate", path, "--to", "xls"])).exitCode).toBe(2);
  });

  it("makes no file named -, which other commands take for standard output", async () => {
    const { stderr, exitCode } = await hamkit(["annotate", await file("my.adi"), "-o", "-", ...IN_FILE]);
    expect([exitCode, stderr]).toEqual([
      2,
      "error: --output: expected a file name, got -: the report goes to standard output\n",
    ]);
  });

  it("makes the folders of the new file, and leaves nothing where it can't write", async () => {
    const path = await file("my.adi");
    expect((await hamkit(["annotate", path, "-o", join(folder, "a/b/c.adi"), ...IN_FILE])).exitCode).toBe(0);
    const { stderr, exitCode } = await hamkit(["annotate", path, "-o", join(path, "below.adi"), ...IN_FILE]);
    expect(stderr).toContain("the file can't be written");
    expect(exitCode).toBe(3);
    expect((await readdir(folder)).sort()).toEqual(["a", "my.adi"]);
  });
});
