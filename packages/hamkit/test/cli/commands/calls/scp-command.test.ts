import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { startFileServer } from "../../../fixtures/file-server.js";
import { keepPublicFiles, SCP_TEXT, temporaryFolder } from "../../public-files.js";
import { hamkit, hamkitJson, type RunOptions } from "../../run-cli.js";

const folder = temporaryFolder();
let withList: Partial<RunOptions>;
let file: string;
beforeAll(async () => {
  const kept = join(folder.path, "kept");
  await keepPublicFiles(kept);
  withList = { env: { HAMKIT_CACHE_DIR: kept, NO_COLOR: "1" } };
  file = join(folder.path, "calls.txt");
  await writeFile(file, "dl1abc\nDL1ABD\nDL2ABD\n9A1A\n");
});

describe("hamkit scp", () => {
  it("writes the calls with a part, one per line, best first", async () => {
    expect(await hamkit(["scp", "1tw"], withList)).toEqual({
      exitCode: 0,
      stdout: "K1TW\nW1TW\nDH1TW\nDK1TW\nDL1TWX\n",
      stderr: "",
    });
  });

  it("takes ? for any one character", async () => {
    expect((await hamkit(["scp", "D?1TW"], withList)).stdout).toBe("DH1TW\nDK1TW\nDL1TWX\n");
  });

  it("writes the calls near a call with --near, two changes away with --distance 2", async () => {
    expect((await hamkit(["scp", "DH1TW", "--near"], withList)).stdout).toBe("DH1TW\nDK1TW\n");
    expect((await hamkit(["scp", "DH1TW", "--near", "--distance", "1"], withList)).stdout).toBe(
      "DH1TW\nDK1TW\n",
    );
    expect((await hamkit(["scp", "DH1TW", "--distance", "2"], withList)).stdout).toBe(
      "DH1TW\nDK1TW\nDL1TWX\nK1TW\nW1TW\n",
    );
  });

  it("shows columns, groups and the age of the list on a terminal", async () => {
    const terminal = { ...withList, isTerminal: true, columns: 16 };
    expect((await hamkit(["scp", "1TW"], terminal)).stdout).toBe(
      [
        "K1TW    W1TW",
        "DH1TW   DK1TW",
        "DL1TWX",
        "",
        "Data: 8 calls of 2024-06-01, checked 2024-06-30 06:00:00 UTC",
        "",
      ].join("\n"),
    );
    expect((await hamkit(["scp", "DH1TW", "--distance", "2"], terminal)).stdout).toContain(
      "Exact match:\nDH1TW\nDistance 1:\nDK1TW\nDistance 2:\nDL1TWX  K1TW\nW1TW\n\nData: ",
    );
  });

  it("reports after # that more calls match than --limit", async () => {
    expect((await hamkit(["scp", "1TW", "--limit", "2"], withList)).stdout).toBe(
      "K1TW\nW1TW\n# More calls match; --limit raises the maximum of 2.\n",
    );
    expect((await hamkit(["scp", "1TW", "--limit", "5"], withList)).stdout).not.toContain("#");
    expect((await hamkit(["scp", "DH1TW", "--near", "--limit", "1"], withList)).stdout).toContain(
      "# More calls match",
    );
  });

  it("groups the calls of several patterns, and reports patterns without a match", async () => {
    expect(await hamkit(["scp", "H1", "ZZ", "x*"], withList)).toEqual({
      exitCode: 2,
      stdout: [
        "# H1",
        "DH1TW",
        "# ZZ",
        '# no call in the list contains "ZZ"',
        "# x*",
        '# pattern: "x*" is not letters, digits, / and ? for any one character',
        "",
      ].join("\n"),
      stderr: "error: no result for 2 of 3 patterns\n",
    });
  });

  it("writes what hamkit call reads", async () => {
    const { stdout } = await hamkit(["scp", "H1TW", "K1TW", "--limit", "1"], withList);
    const { calls } = (await hamkitJson(["call", "-", "--offline"], { ...withList, stdin: [stdout] })) as {
      calls: { input: string }[];
    };
    expect(calls.map(({ input }) => input)).toEqual(["DH1TW", "K1TW"]);
  });

  it("gives programs every search in one document", async () => {
    expect(await hamkitJson(["scp", "H1", "zz", "--limit", "1"], withList)).toEqual({
      data: {
        source: "http://www.supercheckpartial.com/MASTER.SCP",
        checkedAt: "2024-06-30T06:00:00.000Z",
        date: "2024-06-01",
        calls: 8,
      },
      searches: [
        { input: "H1", calls: [{ call: "DH1TW" }], more: false },
        { input: "zz", error: { code: "lookup/no-match", message: 'no call in the list contains "zz"' } },
      ],
    });
    const { searches } = (await hamkitJson(["scp", "DK1TX", "--near"], withList)) as { searches: object[] };
    expect(searches).toEqual([{ input: "DK1TX", calls: [{ call: "DK1TW", distance: 1 }], more: false }]);
  });

  it("reads patterns from standard input", async () => {
    const { stdout } = await hamkit(["scp", "-"], { ...withList, stdin: ["H1\n", "X\n"] });
    expect(stdout).toBe("# H1\nDH1TW\n# X\nDL1TWX\n");
  });

  it("searches a list of one's own, which has no date", async () => {
    expect((await hamkit(["scp", "AB", "--file", file])).stdout).toBe("DL1ABC\nDL1ABD\nDL2ABD\n");
    expect(await hamkitJson(["scp", "AB", "--file", file])).toMatchObject({
      data: { source: file, checkedAt: null, date: null, calls: 4 },
    });
  });

  it("downloads a list from an address, and keeps it for a week", async () => {
    const server = await startFileServer();
    try {
      server.answers = [(_, response) => response.writeHead(200).end(SCP_TEXT)];
      const options = { env: { HAMKIT_CACHE_DIR: join(folder.path, "new") } };
      const words = ["scp", "H1", "--file", server.url];
      await hamkit(words, { ...options, now: "2024-06-30T12:00:00Z" });
      await hamkit(words, { ...options, now: "2024-07-07T11:00:00Z" });
      expect(server.requests).toHaveLength(1);
      expect((await hamkit(words, { ...options, now: "2024-07-07T13:00:00Z" })).stdout).toBe("DH1TW\n");
      expect(server.requests).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  it.each([
    ["one pattern without a call", ["ZZ"], 1, 'no call in the list contains "ZZ"'],
    ["a call that nothing is near", ["ZZ9ZZZ", "--near"], 1, 'no call in the list is similar to "ZZ9ZZZ"'],
    ["a pattern that is none", ["D*"], 2, 'pattern: "D*" is not letters'],
    ["an empty pattern", [""], 2, 'pattern: "" is not letters'],
    ["? with --near", ["D?1TW", "--near"], 2, 'pattern: "D?1TW" is not letters, digits and /'],
    ["a limit of 0", ["1TW", "--limit", "0"], 2, "Expected an integer from 1 to 1000000000."],
    ["a distance of 3", ["1TW", "--distance", "3"], 2, "Allowed choices are 1, 2."],
    ["no such file", ["1TW", "--file", "no-such-file"], 3, "no-such-file: the file can't be read"],
    ["no kept list", ["1TW", "--offline", "--file", "http://127.0.0.1:1/x"], 3, "no copy of it was kept"],
  ])("reports an error for %s", async (_, words, exitCode, message) => {
    const outcome = await hamkit(["scp", ...words], withList);
    expect(outcome).toMatchObject({ exitCode, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });

  it.each([
    [
      "a web page",
      "<html>\n<body>\nMaintenance\n</body>\n</html>",
      "expected a list with a callsign on each line",
    ],
    ["nothing", "", "the list has no callsigns"],
    ["a heading alone", "# Release\n", "the list has no callsigns"],
  ])("ends with 3 for a list that is %s", async (_, text, message) => {
    const path = join(folder.path, "other.txt");
    await writeFile(path, text);
    const { stdout, stderr, exitCode } = await hamkit(["scp", "1TW", "--file", path]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 3 });
    expect(stderr).toContain(message);
  });
});
