import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

const LOG = fileURLToPath(new URL("../../../awards/log-a.adi", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** The line of a count, after the heading of its award. */
function lineOf(stdout: string, award: string, name: string): string | undefined {
  const lines = stdout.split("\n");
  return lines
    .slice(lines.findIndex((line) => line.startsWith(award)))
    .find((line) => line.startsWith(`  ${name} `));
}

describe("hamkit awards", () => {
  it("shows worked and confirmed units by source, with those in parentheses that don't count", async () => {
    const { exitCode, stdout, stderr } = await hamkit(["awards", LOG, ...IN_FILE]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(lineOf(stdout, "DXCC", "mixed")?.split(/ +/)).toEqual([
      "",
      "mixed",
      "21",
      "19",
      "100",
      "7",
      "14",
      "(1)",
    ]);
    expect(lineOf(stdout, "WPX", "mixed")?.split(/ +/)).toEqual([
      "",
      "mixed",
      "30",
      "25",
      "400",
      "8",
      "17",
      "1",
    ]);
    expect(stdout).toContain("(1) does not count for this award\n");
    expect(stdout).toContain("No contacts for Fred Fish Memorial Award, USA-CA, POTA activator, SOTA\n");
    expect(stdout).toContain('record 30 HB9ABC: GRIDSQUARE: "RR73" is no grid\n');
  });

  it("fits 80 columns", async () => {
    const { stdout } = await hamkit(
      ["awards", LOG, "--band", "--mode", "--needed", "--contradictions", ...IN_FILE],
      {
        isTerminal: true,
        columns: 80,
        env: { NO_COLOR: "1" },
      },
    );
    const tooLong = stdout
      .split("\n")
      .filter((line) => line.length > 80 && !line.includes(LOG) && !line.startsWith("Data:"));
    expect(tooLong).toEqual([]);
  });

  it("lists what is missing on a band, also where the log has no contact", async () => {
    const words = ["awards", LOG, "--award", "wac", "--needed", "--on", "160m", ...IN_FILE];
    expect((await hamkit(words)).stdout).toContain(
      "Worked All Continents: 160m\n  not worked (6): AF AS EU NA OC SA\n  not confirmed: none\n",
    );
    const document = (await hamkitJson(words)) as { neededOn: Record<string, object> };
    expect(document.neededOn["160m"]).toMatchObject({
      "wac.mixed": { unworked: ["AF", "AS", "EU", "NA", "OC", "SA"], unconfirmed: [] },
    });
    const wrong = await hamkit(["awards", LOG, "--needed", "--on", "11m", ...IN_FILE]);
    expect(wrong).toMatchObject({
      exitCode: 2,
      stderr: "error: --on: 11m is not a band of ADIF, such as 20m\n",
    });
    expect((await hamkit(["awards", LOG, "--on", "6m", ...IN_FILE])).exitCode).toBe(2);
  });

  it("counts bands and modes on request", async () => {
    const { stdout } = await hamkit(["awards", LOG, "--award", "dxcc", "--band", "--mode", ...IN_FILE]);
    expect(lineOf(stdout, "DXCC", "20m")).toMatch(/^ {2}20m +13 +12 /);
    expect(lineOf(stdout, "DXCC", "cw, with deleted")).toMatch(/ 11 +10 /);
    expect(stdout).toContain("  5BDXCC      80m 2, 40m 0, 20m 12, 15m 1, 10m 0 of 100 each\n");
    const { stdout: without } = await hamkit(["awards", LOG, "--award", "dxcc", ...IN_FILE]);
    expect(lineOf(without, "DXCC", "20m")).toBeUndefined();
  });

  it("lists what is needed, and what was not checked with the sponsor", async () => {
    const { stdout } = await hamkit(["awards", LOG, "--award", "was", "--needed", ...IN_FILE]);
    expect(stdout).toContain("  not confirmed (3): MA NY PA\n");
    expect(stdout).toMatch(/ {2}not worked \(42\): AL AR AZ CO /);
    expect(stdout).toContain("  not checked with the sponsor: whether 60 m counts:");
  });

  it("names entities by their prefix", async () => {
    const { stdout } = await hamkit(["awards", LOG, "--award", "dxcc,wae", "--needed", ...IN_FILE]);
    expect(stdout).toMatch(/not worked \(319\): [^:]*\b9H\b/);
    expect(stdout).toMatch(/not worked \(\d+\): [^]*GM\/s [^]*IT9 [^]*JW\/b/);
  });

  it("lists slots by band, and counties with blanks in their names as they are", async () => {
    const { stdout } = await hamkit(["awards", LOG, "--award", "wac", "--needed", ...IN_FILE]);
    expect(stdout).toContain("  not confirmed (3):\n    10m: AF\n    40m: EU NA\n");
    const path = join(folder, "county.adi");
    await writeFile(
      path,
      "<CALL:4>K4AA<DXCC:3>291<STATE:2>VA<CNTY:13>VA,James City<BAND:3>20m<QSO_DATE:8>20240601<EOR>",
    );
    const { stdout: counties } = await hamkit(["awards", path, "--award", "usaca", "--needed", ...IN_FILE]);
    expect(counties).toContain("  not confirmed (1): VA,JAMES CITY\n");
  });

  it("outputs JSON with the rules and what is needed", async () => {
    expect(await hamkitJson(["awards", LOG, "--award", "was", "--needed", ...IN_FILE])).toMatchObject({
      input: LOG,
      contacts: 42,
      ignored: 0,
      rules: [{ id: "was", sponsor: "ARRL", checked: { open: [expect.any(String), expect.any(String)] } }],
      counts: { "was.mixed": { worked: 8, confirmed: 5 } },
      needed: { "was.mixed": { unconfirmed: ["MA", "NY", "PA"] } },
    });
  });

  it("counts contacts of one own station alone", async () => {
    const none = { contacts: 42, ignored: 42 };
    expect(await hamkitJson(["awards", LOG, "--station", "DL1ABC", ...IN_FILE])).toMatchObject(none);
    expect(await hamkitJson(["awards", LOG, "--entity", "291", ...IN_FILE])).toMatchObject(none);
    expect(await hamkitJson(["awards", LOG, "--within", "FN31,200", ...IN_FILE])).toMatchObject(none);
    expect(await hamkitJson(["awards", LOG, "--within", "jo62qm,200", ...IN_FILE])).toMatchObject({
      ignored: 0,
    });
  });

  it("adds rules of a file, and replaces those of the same id", async () => {
    const path = join(folder, "rules.json");
    const rule = {
      id: "was",
      name: "Calls",
      sponsor: "me",
      checked: { open: ["all"] },
      unit: "field",
      fields: ["CALL"],
      excludes: [],
      satellites: "together",
      confirm: ["eqsl"],
      facets: [{ key: "" }],
    };
    await writeFile(path, JSON.stringify([rule]));
    expect(await hamkitJson(["awards", LOG, "--rules", path, "--award", "was", ...IN_FILE])).toMatchObject({
      counts: { was: { confirmedUnits: ["W3MD"] } },
    });
    await writeFile(path, JSON.stringify({ ...rule, unit: "tree" }));
    const wrong = await hamkit(["awards", LOG, "--rules", path, ...IN_FILE]);
    expect(wrong).toMatchObject({ exitCode: 3, stdout: "" });
    expect(wrong.stderr).toContain('award rule "was": unit: "tree" is not one of entity');
    await writeFile(path, "{");
    expect(await hamkit(["awards", LOG, "--rules", path, ...IN_FILE])).toMatchObject({ exitCode: 3 });
  });

  it.each([
    [["--award", "xyz"], "--award: xyz is none of dxcc, was"],
    [["--within", "JO62"], "--within: JO62 is not a locator and kilometers, such as JO62,200"],
    [["--within", "JO62,0"], "--within: JO62,0 is not"],
    [["--entity", "Germany"], "--entity: Germany is not the code of a DXCC entity, such as 230"],
  ])("rejects %j", async (words, message) => {
    const { exitCode, stderr } = await hamkit(["awards", LOG, ...words, ...IN_FILE]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it("ends with 3 for a file that does not exist, and with 1 for one without contacts", async () => {
    expect(await hamkit(["awards", join(folder, "none.adi"), ...IN_FILE])).toMatchObject({ exitCode: 3 });
    const empty = join(folder, "empty.adi");
    await writeFile(empty, "hello\n");
    const { exitCode, stderr } = await hamkit(["awards", empty, ...IN_FILE]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: ${empty}: no contacts; expected a log in ADIF, Cabrillo, EDI or FLE\n`,
    });
  });

  it("prints no control characters of the log", async () => {
    const path = join(folder, "evil.adi");
    await writeFile(
      path,
      "<CALL:6>DL\u001B[2J<BAND:2>2m<GRIDSQUARE:4>\u001B[2J<DXCC:3>230<QSO_DATE:8>20240601<EOR>",
    );
    const { stdout } = await hamkit(["awards", path, "--award", "vucc", "--contradictions", ...IN_FILE]);
    expect(stdout).not.toContain("\u001B");
    expect(stdout).toContain("\\x1b[2J");
  });
});
