import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { parseAdif } from "../../../../src/adif.js";
import { hamkit, hamkitJson } from "../../run-cli.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  const contact = "<QSO_DATE:8>20240630<BAND:3>20m";
  await write(
    "old.adi",
    `My log\n<PROGRAMID:4>Test\n<EOH>\n<CALL:5>DH1TW${contact}<TIME_ON:4>1200<MODE:3>FT8<NAME:6>Tobias<LOTW_QSL_RCVD:1>N<EOR>\n` +
      `<CALL:4>W1AW${contact}<TIME_ON:4>1210<MODE:2>CW<NAME:6>K\u00f6ln<EOR>\n`,
  );
  await write(
    "new.adi",
    `<CALL:5>dh1tw${contact}<TIME_ON:4>1200<MODE:3>FT8<NAME:3>Tom<STATE:2>BW<LOTW_QSL_RCVD:1>Y<EOR>\n<CALL:6>JA1ABC${contact}<TIME_ON:4>1220<MODE:2>CW<EOR>\n`,
  );
  await write(
    "lotwreport.adi",
    `<PROGRAMID:4>LoTW<EOH><CALL:5>DH1TW${contact}<TIME_ON:6>121500<MODE:3>FT8<APP_LoTW_MODEGROUP:4>DATA<QSL_RCVD:1>Y<QSLRDATE:8>20240702<EOR>\n` +
      `<CALL:5>K1ABC${contact}<TIME_ON:6>130000<MODE:2>CW<APP_LoTW_MODEGROUP:2>CW<QSL_RCVD:1>Y<EOR>\n<APP_LoTW_EOF>\n`,
  );
});
afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
}

const path = (name: string) => join(folder, name);
const recordsOf = async (name: string) => parseAdif(await readFile(path(name))).records;

describe("hamkit log merge", () => {
  it("writes each contact once, and lists what contradicts", async () => {
    const words = ["log", "merge", path("old.adi"), path("new.adi"), "-o", path("all.adi")];
    const { stdout, stderr, exitCode } = await hamkit(words);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout.replaceAll(`${folder}/`, "")).toBe(
      `old.adi: 2 records
new.adi: 2 records
3 contacts written to all.adi; 1 record repeated one of them
Added: STATE 1, LOTW_QSL_RCVD 1

Conflicts (1)
  DH1TW 20240630 1200 20m FT8: NAME: "Tobias" is kept, not "Tom"
`,
    );
    expect(await readFile(path("all.adi"), "utf8")).toMatch(/^My log\n<PROGRAMID:4>Test\n<EOH>\n/);
    const records = await recordsOf("all.adi");
    expect(records.map(({ CALL, NAME }) => [CALL, NAME])).toEqual([
      ["DH1TW", "Tobias"],
      ["W1AW", "Köln"],
      ["JA1ABC", undefined],
    ]);
    expect(records[0]).toMatchObject({ STATE: "BW", LOTW_QSL_RCVD: "Y" });
    expect(await readdir(folder)).toEqual(["all.adi", "lotwreport.adi", "new.adi", "old.adi"]);
  });

  it("never writes over a log, nor over another file without --force", async () => {
    const output = path("new.adi");
    for (const words of [
      [path("old.adi"), output, "-o", output, "--force"],
      [path("old.adi"), "-o", output],
    ])
      expect(await hamkit(["log", "merge", ...words])).toMatchObject({ exitCode: 2, stdout: "" });
    const forced = await hamkit(["log", "merge", path("old.adi"), "-o", output, "--force"]);
    expect(forced.exitCode).toBe(0);
    expect(await recordsOf("new.adi")).toHaveLength(2);
  });

  it("leaves no file behind if a log can't be read", async () => {
    await write("page.adi", "<html><body>Username/password incorrect</body></html>");
    const words = ["log", "merge", path("old.adi"), path("page.adi")];
    const { stderr, exitCode } = await hamkit(words);
    expect(stderr).toContain("a web page, as services send where a login failed");
    expect(exitCode).not.toBe(0);
    expect(await readdir(folder)).not.toContain("old.merged.adi");
  });
});

describe("hamkit log match", () => {
  it("adds the confirmations of a report, and lists what is not in the log", async () => {
    const { stdout, exitCode } = await hamkit(["log", "match", path("old.adi"), path("lotwreport.adi")]);
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(`${folder}/`, "")).toContain(
      `1 contacts matched; 1 record confirm one; written to old.matched.adi
Added: LOTW_QSL_RCVD 1, LOTW_QSLRDATE 1

Not in the log (1)
  K1ABC 20240630 130000 20m CW
`,
    );
    const [first, second] = await recordsOf("old.matched.adi");
    expect(first).toMatchObject({ LOTW_QSL_RCVD: "Y", LOTW_QSLRDATE: "20240702", TIME_ON: "1200" });
    expect(second).toEqual((await recordsOf("old.adi"))[1]);
  });

  it("reports in JSON; fails for a source that is none", async () => {
    const words = ["log", "match", path("old.adi"), path("lotwreport.adi"), "--window", "10"];
    expect(await hamkitJson(words)).toMatchObject({
      contacts: 2,
      matched: 0,
      unmatched: 2,
      unmatchedRecords: [{ call: "DH1TW", time: "121500" }, { call: "K1ABC" }],
    });
    expect((await hamkit([...words, "--force"])).exitCode).toBe(1);
    expect((await hamkit([...words, "--source", "card"])).exitCode).toBe(2);
  });
});

describe("hamkit log dupes", () => {
  it("lists contacts that are in the log several times", async () => {
    await write(
      "twice.adi",
      `${await readFile(path("old.adi"), "utf8")}${await readFile(path("new.adi"), "utf8")}`,
    );
    const { stdout, exitCode } = await hamkit(["log", "dupes", path("twice.adi")]);
    expect(exitCode).toBe(1);
    expect(stdout.replaceAll(`${folder}/`, "")).toBe(
      `twice.adi: 3 contacts; 1 record repeated one of them

Several times in the log
  DH1TW 20240630 1200 20m FT8

Conflicts (1)
  DH1TW 20240630 1200 20m FT8: NAME: "Tobias" is kept, not "Tom"
`,
    );
    expect((await hamkit(["log", "dupes", path("old.adi")])).exitCode).toBe(0);
  });
});
