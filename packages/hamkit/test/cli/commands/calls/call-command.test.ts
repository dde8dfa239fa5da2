import { describe, expect, it } from "vitest";

import { COUNTRY_FILE, DATA, hamkit, hamkitJson, IN_FILE } from "../../run-cli.js";

async function* brokenInput(): AsyncGenerator<string> {
  yield "DH1TW\n";
  throw new Error("EISDIR");
}

describe("hamkit call", () => {
  it("shows one callsign as a card", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["call", "hc2/dh1tw/p", ...IN_FILE]);
    expect(stdout).toBe(
      [
        "HC2/DH1TW/P",
        "  Home call  DH1TW",
        "  Country    Ecuador",
        "  ADIF code  120",
        "  Continent  SA, South America",
        "  CQ zone    10",
        "  ITU zone   12",
        "  Position   1.40° S, 78.40° W",
        "  Locator    FI08",
        "  Matched    prefix HC",
        "  Beacon     no",
        "",
        DATA,
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it("shows several callsigns as a table, with those that are not known in their place", async () => {
    const calls = ["DH1TW", "W1AW/6", "QQ0QQ", "9H1BCN/B", "DL0TEST"];
    const { stdout, stderr, exitCode } = await hamkit(["call", ...calls, ...IN_FILE]);
    expect(stdout).toBe(
      [
        "Call      Home call  Country               ADIF  Cont  CQ  ITU  Latitude  Longitude  Locator  Matched            Beacon",
        "DH1TW     DH1TW      Fed. Rep. of Germany   230  EU    14   28  51.00° N   10.00° E  JO51     prefix DH",
        "W1AW/6    W1AW       United States          291  NA     3    6  37.60° N   91.87° W  EM47     prefix W6",
        "QQ0QQ     unknown callsign",
        "9H1BCN/B  9H1BCN     Malta                  257  EU    15   28  35.88° N   14.42° E  JM75     callsign 9H1BCN/B  yes",
        "DL0TEST   DL0TEST    Fed. Rep. of Germany   230  EU    14   28  53.50° N   10.00° E  JO53     callsign DL0TEST",
        "",
        DATA,
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("error: no result for 1 of 5 callsigns\n");
    expect(exitCode).toBe(1);
  });

  it("outputs all results and failures in one JSON document", async () => {
    expect(await hamkitJson(["call", "dh1tw", "QQ0QQ", ...IN_FILE])).toEqual({
      at: "2024-06-30T12:00:00.000Z",
      data: { name: `${COUNTRY_FILE} VER20240601`, date: "2024-06-01" },
      calls: [
        {
          input: "dh1tw",
          call: "DH1TW",
          homeCall: "DH1TW",
          country: "Fed. Rep. of Germany",
          adif: 230,
          continent: "EU",
          cqz: 14,
          ituz: 28,
          latitude: 51,
          longitude: 10,
          locator: "JO51",
          matchedBy: "prefix",
          match: "DH",
          beacon: false,
          details: null,
          needsEntry: false,
          assumed: false,
          source: `${COUNTRY_FILE} VER20240601`,
        },
        { input: "QQ0QQ", error: { code: "lookup/no-match", message: 'callsign "QQ0QQ" is not known' } },
      ],
    });
  });

  it("has no position for stations at sea, instead of one off Africa at 0° 0°", async () => {
    const { calls } = (await hamkitJson(["call", "9H1XYZ/MM", ...IN_FILE])) as { calls: object[] };
    expect(calls).toMatchObject([
      {
        adif: 999,
        continent: "",
        latitude: null,
        longitude: null,
        locator: null,
        matchedBy: "suffix",
        match: "MM",
      },
    ]);
    const { stdout } = await hamkit(["call", "9H1XYZ/MM", ...IN_FILE]);
    expect(stdout).toContain("  CQ zone    none\n  ITU zone   none\n  Position   none\n  Locator    none\n");
  });

  it("reports a single unknown callsign in one line", async () => {
    expect(await hamkit(["call", "QQ0QQ", ...IN_FILE])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: 'error: callsign "QQ0QQ" is not known\n',
    });
  });

  it("looks up as of --at, and reports that", async () => {
    const words = ["call", "VK9XNA", ...IN_FILE];
    expect((await hamkit(words)).stdout).toContain("Norfolk Island");
    const { stdout } = await hamkit([...words, "--at", "2001-06-30"]);
    expect(stdout).toContain("Christmas Island");
    expect(stdout).toContain(`${DATA}; as of 2001-06-30 00:00:00 UTC\n`);
  });

  it("rejects a date that does not exist", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["call", "DH1TW", "--at", "2024-02-30"]);
    expect(stderr).toBe(
      "error: option '--at <date>' argument '2024-02-30' is invalid. Expected a date such as 2024-06-30, 2024-06-30T18:30 or 2024-06-30T20:30+02:00.\n",
    );
    expect(stdout).toBe("");
    expect(exitCode).toBe(2);
  });

  it("reads callsigns from standard input, in chunks of any size", async () => {
    const [snowman1 = 0, ...snowman23] = new TextEncoder().encode("☃");
    const stdin = [
      "# my log\r\ndh",
      "1tw\r\n\r\n  HG7T \n",
      new Uint8Array([snowman1]),
      new Uint8Array(snowman23),
      "\n",
    ];
    const { calls } = (await hamkitJson(["call", "W1AW", "-", "9H1X", ...IN_FILE], { stdin })) as {
      calls: { input: string }[];
    };
    expect(calls.map(({ input }) => input)).toEqual(["W1AW", "dh1tw", "HG7T", "☃", "9H1X"]);
  });

  it("lays out callsigns of standard input in columns of fixed width, and omits columns on a narrow terminal", async () => {
    const stdin = ["DH1TW\nQQ0QQ\n", "W1AW/6\n"];
    expect((await hamkit(["call", "-", ...IN_FILE], { stdin })).stdout).toBe(
      [
        "Call        Home call  Country                   ADIF  Cont  CQ  ITU  Latitude  Longitude  Locator  Matched        Beacon",
        "DH1TW       DH1TW      Fed. Rep. of Germany       230  EU    14   28  51.00° N   10.00° E  JO51     prefix DH",
        "QQ0QQ       unknown callsign",
        "W1AW/6      W1AW       United States              291  NA     3    6  37.60° N   91.87° W  EM47     prefix W6",
        "",
        DATA,
        "",
      ].join("\n"),
    );
    const narrow = await hamkit(["call", "-", ...IN_FILE], { stdin, columns: 80 });
    expect(narrow.stdout).toContain("Columns omitted: Home call, Latitude, Longitude, Matched, Beacon");
    for (const line of narrow.stdout.split("\n").slice(0, 4)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("writes a JSON document with one callsign per line from standard input", async () => {
    const { stdout } = await hamkit(["call", "-", "--json", ...IN_FILE], { stdin: ["DH1TW\nQQ0QQ\n"] });
    expect(stdout.split("\n").map((line) => line.slice(0, 20))).toEqual(
      ['{"at":"2024-06-30T12:', '{"input":"DH1TW","cal', ',{"input":"QQ0QQ","er', "]}", ""].map((line) =>
        line.slice(0, 20),
      ),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      data: { date: "2024-06-01" },
      calls: [{ country: "Fed. Rep. of Germany" }, { error: { code: "lookup/no-match" } }],
    });
  });

  it("outputs nothing for an empty standard input", async () => {
    expect(await hamkit(["call", "-", ...IN_FILE])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await hamkitJson(["call", "-", ...IN_FILE])).toMatchObject({ calls: [] });
  });

  it("ends with 3 when standard input fails", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["call", "-", ...IN_FILE], {
      io: { stdin: brokenInput },
    });
    expect(stdout).toMatch(/^Call .*\nDH1TW .* Germany /);
    expect(stderr).toBe("error: standard input: can't be read: EISDIR\n");
    expect(exitCode).toBe(3);
    expect(await hamkitJson(["call", "-", ...IN_FILE], { io: { stdin: brokenInput } })).toMatchObject({
      calls: [{ call: "DH1TW" }],
      error: { code: "io/failed" },
    });
  });

  it("ends with 3 when the file is missing, with the reason in one line", async () => {
    const { stdout, stderr, exitCode } = await hamkit(["call", "DH1TW", "--file", "no-such-file.dat"]);
    expect(stderr).toMatch(/^error: no-such-file\.dat: the file can't be read: ENOENT.*\n$/);
    expect(stdout).toBe("");
    expect(exitCode).toBe(3);
  });

  it("ends with 3 when the file is no country file, and shows programs in JSON", async () => {
    const words = ["call", "DH1TW", "--file", new URL(import.meta.url).pathname, "--json"];
    const { stdout, stderr, exitCode } = await hamkit(words);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "country-file/unreadable" } });
    expect(stderr).toBe("");
    expect(exitCode).toBe(3);
  });

  it("takes the embedded data offline, with its name and date", async () => {
    const { stdout, stderr } = await hamkit(["call", "DH1TW", "--offline"], {
      env: { HAMKIT_CACHE_DIR: "no-such-folder" },
    });
    expect(stdout).toContain("Fed. Rep. of Germany");
    expect(stdout).toMatch(/\nData: embedded country file VER\d{8} of \d{4}-\d\d-\d\d\n$/);
    expect(stderr).toBe("");
  });

  it("omits columns that do not fit a narrow terminal, and names them", async () => {
    const { stdout } = await hamkit(["call", "DH1TW", "W1AW", ...IN_FILE], { columns: 80 });
    const [head = "", first = ""] = stdout.split("\n");
    expect(head).toBe("Call   Country               ADIF  Cont  CQ  ITU  Locator  Matched    Beacon");
    expect(first).toBe("DH1TW  Fed. Rep. of Germany   230  EU    14   28  JO51     prefix DH");
    expect(stdout).toContain("\nColumns omitted: Home call, Latitude, Longitude\n");
  });
});
