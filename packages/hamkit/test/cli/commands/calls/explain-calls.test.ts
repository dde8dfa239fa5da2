import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { fails, startFileServer, type FileServer } from "../../../fixtures/file-server.js";
import { tellsEach } from "../../../fixtures/log-service.js";
import { COUNTRY_FILE, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

const LOG_XML = fileURLToPath(new URL("../../../fixtures/small-log.xml", import.meta.url));
const SOURCE = `${COUNTRY_FILE} VER20240601 of 2024-06-01`;

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.close());

describe("hamkit call --explain", () => {
  it("shows how a callsign matches", async () => {
    const { stdout, stderr, exitCode } = await hamkit([
      "call",
      "--explain",
      "vk9xyz-9",
      ...IN_FILE,
      "--at",
      "2001-06-30",
    ]);
    expect(stdout.split("\n")).toEqual([
      "VK9XYZ",
      "  Answer       Christmas Island, DXCC 35, OC, CQ 29, ITU 54",
      "  Parts        VK9XYZ the call; -9 SSID",
      "  Set aside    -9",
      "  Decided by   the call's own prefix",
      "  Matched      prefix VK9X",
      `  Source       ${SOURCE}`,
      "  Certainty    the prefix belongs to one entity",
      "  Passed over  prefix VK9, Norfolk Island: a longer prefix matches",
      "",
    ]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it("explains several callsigns, with an unknown one among them", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["call", "--explain", "DH1TW", "NOCALL", ...IN_FILE]);
    expect(stdout).toContain("\n\nNOCALL\n  Answer  unknown: no part has the form of a call\n");
    expect(stderr).toBe("");
    expect(exitCode).toBe(1);
  });

  it("compares the databases of --in, and takes the first that knows the callsign", async () => {
    const both = ["--in", `logxml=${LOG_XML},countryfile=${COUNTRY_FILE}`];
    const { stdout } = await hamkit(["call", "--explain", "DH1TW", ...both]);
    expect(stdout).toContain("  Answer        Fed. Rep. of Germany");
    expect(stdout).toContain(`  Other source  ${LOG_XML} of 2026-02-01: unknown`);
    expect(stdout).toContain(`  Look twice    unknown to ${LOG_XML}`);
  });

  it("shows what a service answers, and leaves out one that fails", async () => {
    const env = { HAMKIT_LOG_APIKEY: "KEY", HAMKIT_LOGAPI_URL: new URL("/dxcc", server.url).href };
    const words = ["call", "--explain", "DH1TW", "--in", `countryfile=${COUNTRY_FILE},logapi`];
    server.answers = [tellsEach(() => ({ A: 230, Z: 20 }))];
    const { stdout } = await hamkit(words, { env });
    expect(stdout).toContain("differs in CQ zone");
    server.answers = Array.from({ length: 9 }, () => fails(500));
    const failed = await hamkit(words, { env });
    expect(failed.stdout).toContain("Fed. Rep. of Germany");
    expect(failed.stderr).toMatch(/^warning: .* is left out\. /);
    expect(failed.exitCode).toBe(0);
  });

  it("needs a database in memory", async () => {
    const env = { HAMKIT_LOG_APIKEY: "KEY" };
    expect(await hamkit(["call", "--explain", "DH1TW", "--in", "logapi"], { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--in countryfile or --in logxml") as string,
    });
  });

  it("outputs typed explanations as JSON, also of callsigns from standard input", async () => {
    const expected = {
      at: "2024-06-30T12:00:00.000Z",
      data: [{ name: `${COUNTRY_FILE} VER20240601`, date: "2024-06-01" }],
      explanations: [
        {
          kind: "identified",
          input: "W1AW/6",
          callsign: "W1AW/6",
          matchedBy: "prefix",
          match: "W6",
          rule: "call area digit",
          certainty: "single-entity",
          entry: { section: "prefixes", key: "W6", record: { adif: 291, cqz: 3 } },
          others: [],
        },
        { kind: "unknown", input: "QQ0QQ", reason: "no-entry" },
      ],
    };
    expect(await hamkitJson(["call", "--explain", "W1AW/6", "QQ0QQ", ...IN_FILE])).toMatchObject(expected);
    const stdin = ["W1AW/6\nQQ", "0QQ\n"];
    expect(await hamkitJson(["call", "--explain", "-", ...IN_FILE], { stdin })).toMatchObject(expected);
    expect(await hamkitJson(["call", "--explain", "-", ...IN_FILE], { stdin: [] })).toMatchObject({
      explanations: [],
    });
  });
});

describe("hamkit call", () => {
  it("marks an assumed place in the card, the table and JSON", async () => {
    const words = ["call", "TX5K/P", "--offline"];
    const { stdout } = await hamkit(words);
    expect(stdout).toContain("  Matched    the whole callsign TX5K\n");
    expect(stdout).toContain("  Assumed    yes: TX5K is listed, and may be elsewhere with its suffix\n");
    expect((await hamkit([...words, "DH1TW"])).stdout).toContain("callsign TX5K, assumed");
    const { calls } = (await hamkitJson([...words, "TX5K"])) as { calls: object[] };
    expect(calls).toMatchObject([{ assumed: true }, { assumed: false }]);
  });
});
