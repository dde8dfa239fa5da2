import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import * as logs from "../src/logs.js";
import { loadEmbeddedCountryFile } from "../src/lookup.js";
import { dataPath, hasGolden } from "./golden.js";

describe("hamkit/logs", () => {
  it("exports what its documentation names", () => {
    expect(Object.keys(logs).sort()).toEqual(["annotateLog", "fieldValue", "readLog", "writeLog"]);
  });
});

describe.skipIf(!hasGolden)("the lists of ADIF 3.1.6", () => {
  it("have every entity code and every band that a log of contest calls gets, and none that is deleted", async () => {
    const calls = readFileSync(dataPath("MASTER.SCP"), "latin1")
      .split(/\r?\n/)
      .filter((line) => /^[A-Z0-9]/.test(line));
    const khz = ["137", "14074", "50313", "432100", "10368000"];
    const lines = calls.map(
      (call, index) => `QSO: ${khz[index % khz.length]} CW 2024-01-01 0000 DH1TW 599 1 ${call} 599 1`,
    );
    const log = await logs.readLog(`START-OF-LOG: 3.0\n${lines.join("\n")}\nEND-OF-LOG:\n`);
    const { summary } = logs.annotateLog(log, { table: await loadEmbeddedCountryFile() });

    const entities = rows("dxcc_entities.csv").filter((row) => row.at(-1) === "false");
    const codes = new Set(entities.map(([code]) => Number(code)));
    expect(summary.identified).toBeGreaterThan(summary.qsos * 0.99);
    expect(summary.entities.length).toBeGreaterThan(250);
    expect(summary.entities.filter(({ adif }) => !codes.has(adif))).toEqual([]);
    const bands = new Set(rows("adif_bands.csv").map(([band]) => band));
    expect(summary.bands.map(({ band }) => band)).toEqual(["2190m", "20m", "6m", "70cm", "3cm"]);
    expect(summary.bands.filter(({ band }) => !bands.has(band))).toEqual([]);
  });
});

function rows(name: string): string[][] {
  const [, ...lines] = readFileSync(dataPath(name), "utf8").trim().split(/\r?\n/);
  return lines.map((line) => line.split(","));
}
