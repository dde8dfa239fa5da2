import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

const LOG = `START-OF-LOG: 3.0
CONTEST: CQ-WW-CW
CALLSIGN: DH1TW
CLAIMED-SCORE: 60
QSO: 14025 CW 2024-11-23 0001 DH1TW 599 14 W1AW 599 05
QSO: 14025 CW 2024-11-23 0009 DH1TW 599 14 W1AW 599 05
QSO:  7013 CW 2024-11-23 0131 DH1TW 599 14 K1ABC 599 52
END-OF-LOG:
`;

let folder: string;
let log: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  log = join(folder, "test.cbr");
  await writeFile(log, LOG);
});
afterAll(() => rm(folder, { recursive: true }));

const contest = (...words: string[]) => hamkit(["contest", ...words]);

describe("hamkit contest", () => {
  it("scores a log, and compares the claimed score", async () => {
    const { exitCode, stdout, stderr } = await contest("score", log, "--qsos", ...IN_FILE);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    // 3 points each; zone 5 and the USA on both bands: the wrong zone is that of the country file.
    expect(stdout).toContain("Total: 24 = 6 × 4; the log claims 60\nNot counted: 1 dupe\n");
    expect(stdout).toContain('line 7: K1ABC: "52" is not cq_zone\n');
    expect(stdout).toMatch(/^ {3}6 {2}W1AW {3}20m {3}CW {9}0 {2}dupe$/m);
  });

  it("fits 80 columns", async () => {
    for (const part of ["score", "rate", "check"]) {
      const { stdout } = await hamkit(["contest", part, log, ...IN_FILE], { isTerminal: true, columns: 80 });
      const lines = stdout.split("\n").filter((line) => !line.includes(folder) && !line.includes("Data:"));
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it("names lines that the robot would refuse", async () => {
    const { exitCode, stdout } = await contest("check", log, ...IN_FILE);
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      `${log}: 1 errors, 1 warnings, checked by the rules of CQ-WW\n` +
        "line 6: warning dupe: W1AW was worked before\n" +
        'line 7: error exchange-received: received: "52" is not cq_zone\n',
    );
  });

  it("writes JSON", async () => {
    const score = await hamkitJson(["contest", "score", log, ...IN_FILE]);
    expect(score).toMatchObject({ contest: { id: "CQ-WW" }, call: "DH1TW", total: 24, claimed: 60 });
    expect(score).not.toHaveProperty("contacts");
    expect(await hamkitJson(["contest", "rate", log, ...IN_FILE])).toMatchObject({
      hours: [{ qsos: 1 }, { qsos: 1 }],
    });
    expect(await hamkitJson(["contest", "check", log, ...IN_FILE])).toMatchObject({ errors: 1, warnings: 1 });
    expect(await hamkitJson(["contest", "rules"])).toMatchObject([{ id: "ARRL-DX" }, {}, {}, {}]);
  });

  it("takes rules of its own, and those of another contest", async () => {
    const rules = join(folder, "rules.json");
    const wpx = ((await hamkitJson(["contest", "rules"])) as { id: string }[]).find(
      ({ id }) => id === "CQ-WPX",
    );
    await writeFile(
      rules,
      JSON.stringify({ ...wpx, id: "MINE", contests: ["CQ-WW-CW"], points: [{ points: 7 }] }),
    );
    const own = await hamkitJson(["contest", "score", log, "--rules", rules, ...IN_FILE]);
    expect(own).toMatchObject({ contest: { id: "MINE" }, score: { points: 14 } });
    const other = await hamkitJson(["contest", "score", log, "--contest", "cq-wpx", ...IN_FILE]);
    expect(other).toMatchObject({ contest: { id: "CQ-WPX" }, score: { multipliers: { wpx_prefix: 2 } } });
    await writeFile(rules, "{");
    expect(await contest("score", log, "--rules", rules, ...IN_FILE)).toMatchObject({ exitCode: 3 });
  });

  it("rejects an unknown contest", async () => {
    const { exitCode, stderr } = await contest("score", log, "--contest", "FOO", ...IN_FILE);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "error: --contest: FOO is none of ARRL-DX, CQ-WPX, CQ-WW, IARU-HF\n",
    });
  });
});
