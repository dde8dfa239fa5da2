import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../../run-cli.js";

let folder: string;
let log: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  log = join(folder, "log.adi");
  await writeFile(
    log,
    "A log\n<ADIF_VER:5>3.1.7<EOH>\n<CALL:5>DH1TW<FREQ:6>14,074<MODE:3>FT4<DXCC:3>291<APP_X_Y:1:N>1<EOR>\n",
  );
});

afterEach(() => rm(folder, { recursive: true }));

describe("hamkit adif check", () => {
  it("lists findings by rule, and ends with 1", async () => {
    const { exitCode, stdout } = await hamkit(["adif", "check", log]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('  warning: record 1 DH1TW: FREQ: "14,074" is not a frequency in MHz\n');
    expect(stdout).toContain("mode-that-is-a-submode (1)");
  });

  it("compares DXCC with the call on request", async () => {
    const rules = { "frequency-form": 1, "mode-that-is-a-submode": 1 };
    expect(await hamkitJson(["adif", "check", log])).toMatchObject({ records: 1, rules });
    expect(await hamkitJson(["adif", "check", log, "--entities"])).toMatchObject({
      findingCount: 3,
      rules: { "dxcc-call-conflict": 1 },
    });
  });

  it("ends with 3 where the file does not exist", async () => {
    expect(await hamkit(["adif", "check", join(folder, "none.adi")])).toMatchObject({
      exitCode: 3,
      stdout: "",
    });
  });

  it("reports a file without records", async () => {
    await writeFile(log, "<html>Username/password incorrect</html>");
    expect(await hamkitJson(["adif", "check", log])).toMatchObject({
      records: 0,
      rules: { "html-instead-of-adif": 1, "no-records": 1 },
    });
    const { stdout } = await hamkit(["adif", "check", log]);
    expect(stdout).toContain("  error: file: the file is a web page, not a log\n");
  });
});

describe("hamkit adif repair", () => {
  it("writes a repaired copy with the types of fields, and lists the repairs", async () => {
    const { exitCode, stdout } = await hamkit(["adif", "repair", log]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('record 1: FREQ: "14,074" becomes "14.074"');
    const text = await readFile(join(folder, "log.repaired.adi"), "utf8");
    expect(text).toContain(
      "<FREQ:6>14.074 <MODE:4>MFSK <DXCC:3>291 <APP_X_Y:1:N>1 <SUBMODE:3>FT4 <BAND:3>20m <EOR>",
    );
  });

  it("does not replace a file, unless it is forced to", async () => {
    expect(await hamkit(["adif", "repair", log])).toMatchObject({ exitCode: 0 });
    expect(await hamkit(["adif", "repair", log])).toMatchObject({ exitCode: 2 });
    expect(await hamkit(["adif", "repair", log, "--force"])).toMatchObject({ exitCode: 0 });
    expect(await hamkit(["adif", "repair", log, "-o", log, "--force"])).toMatchObject({ exitCode: 2 });
  });
});

describe("hamkit adif convert", () => {
  it("writes ADX and JSON", async () => {
    expect(await hamkit(["adif", "convert", log, "--to", "adx"])).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(folder, "log.adx"), "utf8")).toContain("<CALL>DH1TW</CALL>");
    expect(await hamkit(["adif", "convert", log, "--to", "json"])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await readFile(join(folder, "log.json"), "utf8"))).toMatchObject({
      qsos: [{ CALL: "DH1TW", FREQ: "14,074", MODE: "FT4" }],
    });
  });

  it("writes Cabrillo with the columns and the header of the options, and reads it back", async () => {
    const contest = join(folder, "contest.adi");
    const qso =
      "<STATION_CALLSIGN:5>DH1TW<CALL:4>W1AW<QSO_DATE:8>20240101<TIME_ON:4>1200<BAND:2>2m<MODE:3>SSB<STX:1>1<SRX:1>7";
    await writeFile(contest, `${qso}<MY_GRIDSQUARE:4>JN48<GRIDSQUARE:4>FN31<EOR>\n`);
    const convert = ["adif", "convert", contest, "--to", "cabrillo"];
    expect(await hamkit(convert)).toEqual({
      exitCode: 3,
      stdout: "",
      stderr:
        "error: the log, line 1: expected a contest whose columns are known, or the option columns, found no CONTEST_ID and " +
        "no CONTEST in the header\n",
    });
    const columns = [
      "--columns",
      "STX CALL SRX",
      "--header",
      "CONTEST=OURS",
      "--header",
      "NAME=Ann",
      "--header",
      "NAME=Bob",
    ];
    expect(await hamkit([...convert, ...columns])).toMatchObject({ exitCode: 0, stderr: "" });
    const text = await readFile(join(folder, "contest.cbr"), "utf8");
    expect(text).toContain("CONTEST: OURS\r\n");
    expect(text).toContain("NAME: Ann\r\nNAME: Bob\r\n");
    expect(text).toContain("QSO:   144 PH 2024-01-01 1200 DH1TW         1 W1AW          7\r\n");
    expect(await hamkit(["adif", "convert", join(folder, "contest.cbr"), "--to", "json"])).toMatchObject({
      exitCode: 0,
    });
    expect(
      await hamkit(["adif", "convert", join(folder, "contest.json"), "-o", join(folder, "again.adi")]),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(await readFile(join(folder, "again.adi"), "utf8")).toContain("<CALL:4>W1AW");

    expect(await hamkit(["adif", "convert", contest, "--to", "edi", "--band", "2m"])).toMatchObject({
      exitCode: 0,
    });
    expect(await readFile(join(folder, "contest.edi"), "utf8")).toContain(
      "\r\n240101;1200;W1AW;1;;001;;007;;FN31;",
    );
  });

  it("names the lines that EDI can't hold as they are", async () => {
    const input = join(folder, "vhf.edi");
    const text = [
      "[REG1TEST;1]",
      "PCall=SE0I",
      "PBand=144 MHz",
      "PClub=Köln",
      "[QSORecords;0]",
      "[END;]",
      "",
    ].join("\r\n");
    await writeFile(input, text);
    const output = join(folder, "out.edi");
    expect(await hamkit(["adif", "convert", input, "--to", "edi", "-o", output])).toEqual({
      exitCode: 0,
      stdout: `0 QSOs written to ${output}\n`,
      stderr: `error: line 4 of ${output}: "PClub=Köln" is written as "PClub=Koeln": EDI has no characters beyond ASCII\n`,
    });
    expect(await readFile(output, "utf8")).toBe(text.replace("ö", "oe"));
  });

  it("writes no repaired copy of what is no log", async () => {
    const text = join(folder, "text.adi");
    await writeFile(text, "no log");
    expect(await hamkit(["adif", "repair", text])).toEqual({
      exitCode: 3,
      stdout: "",
      stderr: `error: ${text}: expected a log in ADIF (.adi, .adx, JSON), found no records\n`,
    });
    await expect(readFile(join(folder, "text.repaired.adi"))).rejects.toThrow("ENOENT");
  });

  it("rejects a header without a tag", async () => {
    const { exitCode, stderr } = await hamkit(["adif", "convert", log, "--to", "cabrillo", "--header", "=x"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Expected a tag and a text, such as CATEGORY-BAND=ALL.");
  });
});
