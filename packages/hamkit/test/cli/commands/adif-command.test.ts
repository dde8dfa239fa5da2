import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../run-cli.js";

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
});
