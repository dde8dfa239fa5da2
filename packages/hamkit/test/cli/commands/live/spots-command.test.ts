import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { DATA, hamkit, IN_FILE, type RunOptions } from "../../run-cli.js";
import { SOURCE_NAMES, SOURCES } from "../../../../src/sources.js";

const SPOT = "DX de DH1TW:     14025.0  W1AW         CW 20 dB                       1154Z";
const SKIMMER = "DX de 9H1XY-#:   10368887.25  DL0TEST    cq                             1155Z JM75";
const AT_SEA = "DX de DH1TW:     14025.0  9H1XYZ/MM    x                              1156Z";
const NOT_KNOWN = "DX de DH1TW:     14025.0  QQ0QQ        x                              1157Z";

const ZONE_32 = { key: "waz.mixed", award: "waz", kind: "cqz", unit: 32, state: "new" };

function endedLines(texts: readonly string[]): string[] {
  return texts.map((text) => `${text}\n`);
}

async function spots(words: readonly string[], lines: readonly string[], options: Partial<RunOptions> = {}) {
  return hamkit(["spots", ...words, ...IN_FILE], { stdin: lines.map((line) => `${line}\r\n`), ...options });
}

/** The objects of `--json`, one per line. */
async function documents(
  words: readonly string[],
  lines: readonly string[],
): Promise<Record<string, unknown>[]> {
  const { stdout, stderr } = await spots([...words, "--json"], lines);
  expect(stderr).toBe("");
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const TABLES = SOURCE_NAMES.filter((name) => SOURCES[name].kind === "table").map((name) => `--in ${name}`);

describe("hamkit spots", () => {
  it("looks up in log XML where it is told so", async () => {
    const log = fileURLToPath(new URL("../../../fixtures/small-log.xml", import.meta.url));
    const stdin = ["DX de DH1TW:     14025.0  OK1ABC       x                              1157Z\n"];
    const words = ["spots", "--in", `logxml=${log}`, "--at", "1980-06-30"];
    const { stdout, exitCode } = await hamkit(words, { stdin });
    expect(stdout).toContain("CZECHOSLOVAKIA");
    expect(stdout).toContain(`Data: ${log} of 2026-02-01`);
    expect(exitCode).toBe(0);
  });

  it.each(["kvstore", "callbook", "logapi", "logxml=cty.xml,countryfile"])(
    "rejects databases that don't answer at once: %s",
    async (databases) => {
      expect(await hamkit(["spots", "--in", databases], { stdin: [SPOT] })).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `error: this command looks up in one database, ${TABLES.join(" or ")}\n`,
      });
    },
  );

  describe("with a log", () => {
    const LOG = fileURLToPath(new URL("../../../awards/log-a.adi", import.meta.url));
    const LINES = [
      SPOT,
      "DX de DH1TW:     14025.0  ZL1AA        cq                             1154Z",
      "DX de DH1TW:      1825.0  W1AW         cq                             1154Z",
    ];

    it("shows what each spot would be for its awards, and only those that are needed", async () => {
      const all = await hamkit(["spots", "--log", LOG, "--award", "dxcc", "--offline"], {
        stdin: endedLines(LINES),
      });
      const rows = all.stdout.split("\n").slice(0, 4);
      expect(rows.map((row) => [row.slice(18, 26).trim(), row.slice(75, 92).trim()])).toEqual([
        ["DX", "Needed"],
        ["W1AW", ""],
        ["ZL1AA", "DXCC"],
        ["W1AW", "DXCC 160m"],
      ]);
      const needed = await hamkit(["spots", "--log", LOG, "--award", "dxcc", "--offline", "--needed"], {
        stdin: endedLines(LINES),
      });
      expect(needed.stdout).not.toContain("1154Z     14025.0  W1AW");
      expect(needed.stdout).toContain("ZL1AA");
    });

    it("has them in JSON", async () => {
      const words = ["spots", "--log", LOG, "--award", "waz", "--offline", "--needed", "--json"];
      const { stdout } = await hamkit(words, { stdin: endedLines(LINES) });
      const [first] = stdout.split("\n").map((line) => (line === "" ? {} : (JSON.parse(line) as object)));
      expect(first).toMatchObject({ dx: "ZL1AA", needs: expect.arrayContaining([ZONE_32]) });
    });

    it("needs a log that can be read, and awards that have rules", async () => {
      expect(await spots(["--needed"], LINES)).toMatchObject({
        exitCode: 2,
        stderr: "error: --needed needs --log\n",
      });
      expect(await spots(["--award", "dxcc"], LINES)).toMatchObject({ exitCode: 2 });
      expect(await spots(["--log", LOG, "--award", "nope"], LINES)).toMatchObject({ exitCode: 2 });
      expect((await spots(["--log", "missing.adi"], LINES)).exitCode).toBe(3);
    });
  });

  it("shows country and zones of each spot", async () => {
    expect(await spots([], [SPOT, SKIMMER, AT_SEA, NOT_KNOWN])).toEqual({
      exitCode: 0,
      stdout: [
        "Time          kHz  DX            Country                 CQ  ITU  Spotter     Comment",
        "1154Z     14025.0  W1AW          United States            5    8  DH1TW       CW 20 dB",
        "1155Z  10368887.25  DL0TEST       Fed. Rep. of Germany    14   28  9H1XY-#     cq",
        "1156Z     14025.0  9H1XYZ/MM     MARITIME MOBILE                  DH1TW       x",
        "1157Z     14025.0  QQ0QQ         unknown                          DH1TW       x",
        "",
        DATA,
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("adds distance and heading with --from", async () => {
    const { stdout } = await spots(["--from", "JN48QM"], [SPOT, AT_SEA]);
    // The haversine of 48.5208° N, 9.375° E and 37.6° N, 91.87° W on 6371 km is 7696.9 km; the heading is 303.8°.
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "Time          kHz  DX            Country                 CQ  ITU     km  Deg  Spotter     Comment",
      "1154Z     14025.0  W1AW          United States            5    8   7697  304  DH1TW       CW 20 dB",
      "1156Z     14025.0  9H1XYZ/MM     MARITIME MOBILE                              DH1TW       x",
    ]);
  });

  it("shows reports in words, announcements and other lines as they are, and no blank ones", async () => {
    const { stdout } = await spots(
      [],
      [
        "login:",
        "",
        "   ",
        "WWV de W0MU <11Z> :   SFI=120, A=5, K=2, No Storms -> No Storms",
        "WCY de DK0WCY-1 <12> : K=4 expK=2 A=14 R=7 SFI=68 SA=qui GMF=act Au=no",
        "WX de G3XYZ: rain",
      ],
    );
    expect(stdout.split("\n").slice(1, -3)).toEqual([
      "login:",
      "1100Z  WWV by W0MU: solar flux 120, A 5, K 2, No Storms -> No Storms",
      "1200Z  WCY by DK0WCY-1: solar flux 68, A 14, K 4 (expected 2), sunspots 7, sun qui, field act, aurora no",
      "WX de G3XYZ: rain",
    ]);
  });

  it("dims lines that it can't read on a terminal", async () => {
    const { stdout } = await spots([], ["login:", SPOT], { isTerminal: true });
    expect(stdout).toContain("\n\u001b[2mlogin:\u001b[22m\n1154Z ");
  });

  it("gives programs an object for each line, with both stations", async () => {
    const [first, second, third, ...others] = await documents(
      ["--from", "JN48"],
      [SPOT, "", "login:", NOT_KNOWN, "To ALL de DH1TW: hi"],
    );
    expect(first).toEqual({
      kind: "spot",
      format: "dx",
      spotter: "DH1TW",
      skimmer: false,
      frequency: 14025,
      band: "20m",
      dx: "W1AW",
      comment: "CW 20 dB",
      mode: "CW",
      snr: 20,
      time: "2024-06-30T11:54:00.000Z",
      line: SPOT,
      dxStation: {
        country: "United States",
        adif: 291,
        continent: "NA",
        cqz: 5,
        ituz: 8,
        latitude: 37.6,
        longitude: -91.87,
        matchedBy: "prefix",
        match: "W",
        distanceKm: expect.closeTo(7675, -2) as number,
        heading: expect.closeTo(303.6, 0) as number,
      },
      spotterStation: expect.objectContaining({ country: "Fed. Rep. of Germany" }) as object,
    });
    expect(second).toEqual({ kind: "unknown", line: "login:" });
    expect(third).toMatchObject({ dx: "QQ0QQ", dxStation: null });
    expect(others).toMatchObject([{ kind: "announcement", to: "ALL", text: "hi" }]);
  });

  it("has null for unknown values: places at sea, distances without --from, bands of no band", async () => {
    const [atSea] = await documents(["--from", "JN48"], [AT_SEA]);
    expect(atSea).toMatchObject({
      dxStation: { adif: 999, latitude: null, longitude: null, distanceKm: null },
    });
    const [spot] = await documents([], ["DX de DH1TW:     15000.0  W1AW         x       1154Z"]);
    expect(spot).toMatchObject({ band: null, dxStation: { distanceKm: null, heading: null } });
  });

  it("takes lines to be received now, or at the moment of --at", async () => {
    const [now] = await documents([], [SPOT]);
    expect(now?.["time"]).toBe("2024-06-30T11:54:00.000Z");
    const [then] = await documents(["--at", "2001-01-01T23:00"], [SPOT]);
    expect(then?.["time"]).toBe("2001-01-01T11:54:00.000Z");
  });

  it("writes each line before it waits for the next one", async () => {
    let written = "";
    const seen: string[] = [];
    async function* source(): AsyncGenerator<string> {
      for (const line of [SPOT, "login:"]) {
        yield `${line}\n`;
        seen.push(written.split("\n").at(-2) ?? "");
      }
    }
    await hamkit(["spots", ...IN_FILE], {
      io: {
        stdin: source,
        stdout: {
          write: (text) => (written += text),
          ready: async () => true,
          isTerminal: false,
          columns: undefined,
        },
      },
    });
    expect(seen).toEqual([expect.stringMatching(/^1154Z .* W1AW /), "login:"]);
  });

  it("stops, and ends the stream, when standard output is closed", async () => {
    let written = "";
    let ended = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield `${SPOT}\n`;
      } finally {
        ended = true;
      }
    }
    const { exitCode, stderr } = await hamkit(["spots", ...IN_FILE], {
      io: {
        stdin: endless,
        stdout: {
          write: (text) => (written += text),
          ready: async () => written.length < 1000,
          isTerminal: false,
          columns: undefined,
        },
      },
    });
    expect({ exitCode, stderr, ended }).toEqual({ exitCode: 0, stderr: "", ended: true });
    expect(written.length).toBeLessThan(1200);
  });

  it("ends with 3 where standard input fails, with a JSON line for programs", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield `${SPOT}\n`;
      throw new Error("EIO");
    }
    const people = await hamkit(["spots", ...IN_FILE], { io: { stdin: broken } });
    expect(people).toMatchObject({ exitCode: 3, stderr: "error: standard input: can't be read: EIO\n" });
    const programs = await hamkit(["spots", "--json", ...IN_FILE], { io: { stdin: broken } });
    const [, last = ""] = programs.stdout.split("\n");
    expect(JSON.parse(last)).toEqual({
      error: { code: "io/failed", message: "standard input: can't be read: EIO" },
    });
    expect(programs.exitCode).toBe(3);
  });

  it("rejects an invalid locator before it reads", async () => {
    const unasked = (): never => {
      throw new Error("asked");
    };
    expect(await hamkit(["spots", "--from", "ZZ99", ...IN_FILE], { io: { stdin: unasked } })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining('from: "ZZ99" is not a locator') as string,
    });
  });

  it("lets no control characters through to a terminal", async () => {
    const hostile = [
      "DX de DH1TW: 14025.0 W1AW a\u001b[2Jb\u009bc\u202ed\u2066e\u007f 1154Z",
      "\u001b]0;pwned\u0007 login:\u009b1m",
      "To ALL de DH1TW: \u001b[31mred",
    ];
    for (const mode of [[], ["--json"]]) {
      const { stdout } = await spots(mode, hostile);
      expect(stdout).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
    }
  });
});
