import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

/** Two QSOs, the first of them in each format. */
const FLE = "mycall dl0xyz\ndate 2024-06-01\n20m cw 1200 w1aw 5 @Ann dm/bw-001\n2 ja1abc\n";
const CABRILLO = `START-OF-LOG: 3.0
CONTEST: CQ-WW-CW
QSO: 14025 CW 2024-06-01 1200 DL0XYZ 599 14 W1AW 599 05
QSO: 14025 CW 2024-06-01 1202 DL0XYZ 599 14 JA1ABC 599 25
END-OF-LOG:
`;
const ADIF = "<CALL:4>W1AW<QSO_DATE:8>20240601<TIME_ON:4>1201<BAND:3>20m<MODE:2>CW<STATE:2>CT<EOR>\n";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe("a log in FLE", () => {
  it("becomes ADIF", async () => {
    const path = await file("activation.txt", FLE);
    expect(await hamkit(["adif", "convert", path])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await readFile(join(folder, "activation.adi"), "utf8")).toContain(
      "<CALL:4>W1AW <QSO_DATE:8>20240601 <TIME_ON:4>1200 <BAND:3>20m <MODE:2>CW <RST_SENT:3>559 <RST_RCVD:3>599 " +
        "<NAME:3>Ann <SOTA_REF:9>DM/BW-001 <STATION_CALLSIGN:6>DL0XYZ <EOR>\n",
    );
  });

  it("has interpolated times and consecutive numbers as options", async () => {
    const path = await file(
      "contest.txt",
      "mycall dl0xyz\n2024-06-01 20m cw\n1200 w1aw ,7\nw1ab .5\n10 w1ac .9\n",
    );
    const output = join(folder, "out.json");
    const words = ["adif", "convert", path, "--to", "json", "-o", output, "--force"];
    const qsos = async () =>
      (JSON.parse(await readFile(output, "utf8")) as { qsos: readonly Record<string, string>[] }).qsos.map(
        ({ TIME_ON, STX }) => `${TIME_ON} ${STX}`,
      );
    expect(await hamkit(words)).toMatchObject({
      exitCode: 1,
      stderr: /^error: line 4: the number 7 is sent again/,
    });
    expect(await qsos()).toEqual(["1200 7", "1200 7", "1210 7"]);
    expect(await hamkit([...words, "--interpolate", "--consecutive"])).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await qsos()).toEqual(["1200 7", "1205 8", "1210 9"]);
  });

  it("is not written, and --to says what is", async () => {
    const path = await file("a.txt", FLE);
    const { exitCode, stderr } = await hamkit(["adif", "convert", path, "--to", "fle"]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("cabrillo, edi") as string,
    });
    expect(await readdir(folder)).toEqual(["a.txt"]);
  });

  it("is converted with the words that are not understood in a field, and lists them", async () => {
    const path = await file("a.txt", FLE.replace("ja1abc", "ja1abc 599 foo"));
    const { exitCode, stderr } = await hamkit(["adif", "convert", path]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: line 4: "foo": /) as string,
    });
    expect(await readFile(join(folder, "a.adi"), "utf8")).toContain("<APP_HAMKIT_FLE:3:S>foo");
    expect(await hamkitJson(["adif", "check", path])).toMatchObject({ records: 2, rules: { "fle-line": 1 } });
  });
});

describe.each([
  ["FLE", "a.txt", FLE],
  ["Cabrillo", "a.cbr", CABRILLO],
])("a log in %s", (_, name, content) => {
  it("is counted for awards", async () => {
    const words = ["awards", await file(name, content), "--award", "dxcc", ...IN_FILE];
    expect(await hamkitJson(words)).toMatchObject({
      contacts: 2,
      counts: { "dxcc.band.20m": { worked: 2, units: expect.anything() as unknown } },
    });
  });

  it("is annotated as ADIF", async () => {
    const path = await file(name, content);
    expect(await hamkit(["annotate", path, ...IN_FILE])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await readFile(join(folder, "a.annotated.adi"), "utf8")).toContain("<CALL:4>W1AW");
  });

  it("is merged with one in ADIF, and searched for dupes", async () => {
    const path = await file(name, content);
    const output = join(folder, "all.adi");
    const words = ["log", "merge", path, await file("b.adi", ADIF), "-o", output];
    expect(await hamkitJson(words)).toMatchObject({ contacts: 2, repeated: 1 });
    const text = await readFile(output, "utf8");
    expect(text).toContain("<CALL:4>W1AW");
    expect(text).toContain("<STATE:2>CT");
    expect(await hamkitJson(["log", "dupes", path])).toMatchObject({ contacts: 2, repeated: 0 });
  });

  it("is matched with a report", async () => {
    const report = ADIF.replace("<STATE:2>CT", "<QSL_RCVD:1>Y<APP_LoTW_MODEGROUP:2>CW");
    const words = ["log", "match", await file(name, content), await file("report.adi", report)];
    expect(await hamkitJson(words)).toMatchObject({ matched: 1 });
    expect(await readFile(join(folder, "a.matched.adi"), "utf8")).toContain("<LOTW_QSL_RCVD:1>Y");
  });

  it("would be uploaded", async () => {
    const words = ["upload", await file(name, content), "--to", "qrz", "--dry-run"];
    const { stdout, stderr } = await hamkit(words, { env: { HAMKIT_QRZ_KEY: "a-key" } });
    expect({ stdout, stderr }).toMatchObject({
      stdout: expect.stringContaining("2 would be sent") as string,
      stderr: "",
    });
  });

  it("decides what spots are needed", async () => {
    const words = ["spots", "--log", await file(name, content), "--award", "dxcc", "--offline", "--needed"];
    const spots = [
      "DX de W3LPL:     14025.0  JA1XYZ         CW                             1205Z\n",
      "DX de W3LPL:     14026.0  VK2ABC         CW                             1205Z\n",
    ];
    const { stdout } = await hamkit(words, { stdin: spots });
    // In parentheses: worked, but not confirmed.
    expect(stdout).toMatch(/JA1XYZ.* \(DXCC\) /);
    expect(stdout).toMatch(/VK2ABC.* DXCC /);
  });
});

it("names words of FLE that a merged, matched or uploaded log would lose", async () => {
  const path = await file("a.txt", FLE.replace("ja1abc", "ja1abc 599 foo"));
  for (const words of [
    ["log", "dupes", path],
    ["log", "merge", path, "-o", join(folder, "all.adi")],
    ["upload", path, "--to", "qrz", "--dry-run"],
    ["awards", path, "--award", "dxcc", ...IN_FILE],
  ]) {
    const { stderr } = await hamkit(words);
    expect(stderr).toContain('file: line 4: "foo": expected a report');
  }
});
