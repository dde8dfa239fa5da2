import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { fails, startFileServer, type FileServer } from "../../../fixtures/file-server.js";
import { sendsByPath } from "../../../user-lists/lists.js";
import {
  CARDSITE_TEXT,
  keepPublicFiles,
  LOGBOOK_TEXT,
  LOGSITE_ZIP,
  temporaryFolder,
} from "../../public-files.js";
import { hamkit, hamkitJson, type RunOptions } from "../../run-cli.js";

const folder = temporaryFolder();
let withLists: Partial<RunOptions>;
beforeAll(async () => {
  const kept = join(folder.path, "kept");
  await keepPublicFiles(kept);
  withLists = { env: { HAMKIT_CACHE_DIR: kept } };
});

const CHECKED = "checked 2024-06-30 06:00:00 UTC";

describe("hamkit users", () => {
  it("shows the data of one callsign as a card", async () => {
    expect(await hamkit(["users", " dh1tw"], withLists)).toEqual({
      exitCode: 0,
      stdout: [
        "DH1TW",
        "  Logbook           last upload 2023-01-02 10:11:12 UTC",
        "  Log service       last upload 2023-01-01 15:00:06 UTC",
        "    First contact   2012-01-01 19:59:27 UTC",
        "    Last contact    2022-12-31 06:39:03 UTC",
        "    To the logbook  2023-01-02 10:11:12 UTC",
        "    Locator         JN48QM",
        "    Card requests   online (OQRS)",
        "  Card service      not listed",
        "",
        `Lists: logbook ${CHECKED}, log service ${CHECKED}, card service ${CHECKED}`,
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("shows several callsigns as a table, with those of no list in their place", async () => {
    const { stdout, stderr, exitCode } = await hamkit(
      ["users", "W1AW", "DH1TW", "QQ0QQ", "DL1ABC"],
      withLists,
    );
    expect(stdout.split("\n").slice(0, -3)).toEqual([
      "Call    Logbook     Log service  First contact  Last contact  Locator  Card requests  Card service",
      "W1AW    2024-06-28  yes          2012-07-01     2024-06-25                            yes",
      "DH1TW   2023-01-02  2023-01-01   2012-01-01     2022-12-31    JN48QM   online         no",
      'QQ0QQ   callsign "QQ0QQ" is not in any list',
      "DL1ABC  2019-05-30  no                                                                yes",
    ]);
    expect(stderr).toBe("error: no result for 1 of 4 callsigns\n");
    expect(exitCode).toBe(1);
  });

  it("omits columns on a narrow terminal, and names them", async () => {
    const { stdout } = await hamkit(["users", "W1AW", "DH1TW"], {
      ...withLists,
      isTerminal: true,
      columns: 60,
      env: { ...withLists.env, NO_COLOR: "1" },
    });
    expect(stdout).toMatch(/^Call +Logbook +Log service +Card requests +Card service\n/);
    expect(stdout).toContain("Columns omitted: First contact, Last contact, Locator\n");
  });

  it("gives programs every list and every call in one document", async () => {
    const source = expect.stringMatching(/^https?:/) as string;
    expect(await hamkitJson(["users", "w1aw", "DL1ABC", "QQ0QQ"], withLists)).toEqual({
      lists: {
        logbook: { source, checkedAt: "2024-06-30T06:00:00.000Z" },
        logsite: { source, checkedAt: "2024-06-30T06:00:00.000Z" },
        cardsite: { source, checkedAt: "2024-06-30T06:00:00.000Z" },
      },
      calls: [
        {
          input: "w1aw",
          call: "W1AW",
          logbook: { listed: true, lastupload: "2024-06-28T20:15:52.000Z" },
          logsite: {
            listed: true,
            firstqso: "2012-07-01T06:25:58.000Z",
            lastqso: "2024-06-25T05:46:42.000Z",
            oqrs: false,
          },
          cardsite: { listed: true },
        },
        {
          input: "DL1ABC",
          call: "DL1ABC",
          logbook: { listed: true, lastupload: "2019-05-30T23:59:59.000Z" },
          logsite: { listed: false },
          cardsite: { listed: true },
        },
        {
          input: "QQ0QQ",
          error: { code: "lookup/no-match", message: 'callsign "QQ0QQ" is not in any list' },
        },
      ],
    });
  });

  it("names the home call where the lists have that alone", async () => {
    expect(await hamkit(["users", "HC2/DL1ABC/P"], withLists)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: 'error: callsign "HC2/DL1ABC/P" is not in any list; DL1ABC is listed\n',
    });
  });

  it.each(["", "__proto__", "constructor", "TOSTRING", "*"])(
    "takes %o for a name in no list",
    async (word) => {
      expect(await hamkit(["users", word], withLists)).toMatchObject({ exitCode: 1, stdout: "" });
    },
  );

  it("searches the lists of --list alone, in its own order", async () => {
    const { stdout } = await hamkit(["users", "DH1TW", "W1AW", "--list", "logbook"], withLists);
    expect(stdout).toBe(
      ["Call   Logbook", "DH1TW  2023-01-02", "W1AW   2024-06-28", "", `Lists: logbook ${CHECKED}`, ""].join(
        "\n",
      ),
    );
    const words = ["users", "DL1ABC", "--list", "cardsite", "--list", "logbook"];
    const { lists } = (await hamkitJson(words, withLists)) as { lists: object };
    expect(Object.keys(lists)).toEqual(["logbook", "cardsite"]);
  });

  it("reads callsigns from standard input, one per line", async () => {
    const options = { ...withLists, stdin: ["# mine\r\nDL1", "ABC\r\n\r\nQQ0QQ\n"] };
    const { calls } = (await hamkitJson(["users", "W1AW", "-", "DH1TW"], options)) as {
      calls: { input: string }[];
    };
    expect(calls.map(({ input }) => input)).toEqual(["W1AW", "DL1ABC", "QQ0QQ", "DH1TW"]);
  });

  it("outputs nothing without callsigns", async () => {
    expect(await hamkit(["users", "-"], withLists)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  it.each([
    [
      ["W1AW", "--list", "lotw"],
      "argument 'lotw' is invalid. Allowed choices are logbook, logsite, cardsite.",
    ],
    [
      ["W1AW", "--list", "logbook", "--logsite-from", "x"],
      "--logsite-from: the list logsite is not searched; add --list logsite",
    ],
  ])("ends with 2 for %j", async (words, message) => {
    const { stdout, stderr, exitCode } = await hamkit(["users", ...words], withLists);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

describe("hamkit users, with lists of one's own,", () => {
  const path = (name: string): string => join(folder.path, name);
  const fromFiles = (): string[] => [
    "--logbook-from",
    path("users.csv"),
    "--logsite-from",
    path("users.zip"),
    "--cardsite-from",
    path("members.txt"),
  ];
  beforeAll(async () => {
    await writeFile(path("users.csv"), LOGBOOK_TEXT);
    await writeFile(path("users.zip"), LOGSITE_ZIP);
    await writeFile(path("members.txt"), CARDSITE_TEXT);
  });

  it("reads files, keeps no copies of them and names them", async () => {
    const cache = path("unused");
    const { stdout, exitCode } = await hamkit(["users", "DH1TW", ...fromFiles()], {
      env: { HAMKIT_CACHE_DIR: cache },
    });
    expect(stdout).toContain("last upload 2023-01-02 10:11:12 UTC\n");
    expect(stdout).toContain(
      `Lists: logbook ${path("users.csv")}, log service ${path("users.zip")}, card service ${path("members.txt")}\n`,
    );
    expect(exitCode).toBe(0);
    await expect(readdir(cache)).rejects.toThrow("ENOENT");
  });

  it("reports an unavailable list, and searches the others", async () => {
    const words = ["users", "DH1TW", "DL1ABC", ...fromFiles(), "--logsite-from", path("none.zip")];
    const { stdout, stderr, exitCode } = await hamkit(words);
    expect(stdout).toMatch(/^DH1TW +2023-01-02 +\? +no$/m);
    expect(stdout).not.toContain("log service");
    expect(stderr).toMatch(
      /^error: the list of the log service is not available: .*none\.zip: .*ENOENT.*\n$/,
    );
    expect(exitCode).toBe(3);
    expect(await hamkitJson(words)).toMatchObject({
      lists: { logsite: { error: { code: "io/failed" } }, logbook: { checkedAt: null } },
      calls: [{ logsite: null, logbook: { listed: true } }, { logsite: null }],
    });
  });

  it("does not report a call as unlisted while one list is unavailable", async () => {
    const words = ["users", "QQ0QQ", ...fromFiles(), "--cardsite-from", path("none.txt")];
    const { stdout, exitCode } = await hamkit(words);
    expect(stdout).toContain("  Logbook       not listed\n");
    expect(stdout).toContain("  Card service  unknown: the list is not available\n");
    expect(exitCode).toBe(3);
  });

  it("ends with 3 for a file that is another one, and shows no empty card", async () => {
    const words = ["users", "DH1TW", "--list", "logbook", "--logbook-from", path("members.txt")];
    const { stdout, stderr, exitCode } = await hamkit(words);
    expect(stdout).toBe("");
    expect(stderr).toContain("the list of the logbook is not available");
    expect(stderr).toContain("expected lines such as W1AW,2024-05-01,23:59:59");
    expect(exitCode).toBe(3);
    const document = await hamkitJson(words);
    expect(document).toMatchObject({ lists: { logbook: { error: { code: "user-list/unreadable" } } } });
  });
});

describe("hamkit users, where lists are downloaded,", () => {
  let server: FileServer;
  let options: Partial<RunOptions>;
  let words: string[];
  let runs = 0;
  beforeEach(async () => {
    server = await startFileServer();
    server.answers = [sendsByPath({ "users.csv": LOGBOOK_TEXT })];
    options = { env: { HAMKIT_CACHE_DIR: join(folder.path, `cache-${runs++}`) } };
    const url = new URL("users.csv", server.url).href;
    words = ["users", "W1AW", "--list", "logbook", "--logbook-from", url];
  });
  afterEach(() => server.close());

  it("caches them for a day", async () => {
    const first = await hamkit(words, { ...options, now: "2024-06-30T12:00:00Z" });
    expect(first.stdout).toContain("Lists: logbook checked 2024-06-30 12:00:00 UTC\n");
    expect(await hamkit(words, { ...options, now: "2024-07-01T11:59:00Z" })).toEqual(first);
    expect(server.requests).toHaveLength(1);
    const later = await hamkit(words, { ...options, now: "2024-07-01T12:01:00Z" });
    expect(later.stdout).toContain("Lists: logbook checked 2024-07-01 12:01:00 UTC\n");
    expect(server.requests).toHaveLength(2);
  });

  it("uses an old copy with a warning where there is no newer one", async () => {
    await hamkit(words, options);
    server.answers = [fails(404)];
    const { stdout, stderr, exitCode } = await hamkit(words, { ...options, now: "2024-08-30T12:00:00Z" });
    expect(stdout).toContain("last upload 2024-06-28 20:15:52 UTC\n");
    expect(stdout).toContain("Lists: logbook checked 2024-06-30 12:00:00 UTC\n");
    expect(stderr).toMatch(
      /^warning: Using the copy of the list of the logbook of 2024-06-30 12:00:00 UTC: .*HTTP 404.*\n$/,
    );
    expect(exitCode).toBe(0);
  });

  it("keeps no web page in place of a list", async () => {
    server.answers = [(_, response) => response.writeHead(200).end("<html>Maintenance</html>")];
    const { stderr, exitCode } = await hamkit(words, options);
    expect(stderr).toContain("expected the list, found a web page");
    expect(exitCode).toBe(3);
    server.answers = [sendsByPath({ "users.csv": LOGBOOK_TEXT })];
    expect(await hamkit(words, options)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("makes no request with --offline, whatever the age of the copy", async () => {
    const missing = await hamkit([...words, "--offline"], options);
    expect(missing.stderr).toContain("no copy of it was kept, and without --offline it would be downloaded");
    expect(missing.exitCode).toBe(3);
    expect(server.requests).toHaveLength(0);
    await hamkit(words, options);
    const kept = await hamkit([...words, "--offline"], { ...options, now: "2034-06-30T12:00:00Z" });
    expect(kept).toMatchObject({ exitCode: 0, stderr: "" });
    expect(server.requests).toHaveLength(1);
  });
});
