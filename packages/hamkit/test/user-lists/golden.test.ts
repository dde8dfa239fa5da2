import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { isHamkitError, ValueError } from "../../src/errors.js";
import { getCardsiteUsers, getLogbookUsers, getLogsiteUsers, type LogsiteUser } from "../../src/qsl.js";
import { startFileServer } from "../fixtures/file-server.js";
import { dataPath, goldenRows, hasGolden } from "../golden.js";
import { rememberingLogger, sendsByPath, zipped } from "./lists.js";

/** One call of the peer. `err` is there where it raised an error, the others where it answered. */
interface Row {
  readonly fn: keyof typeof OPERATIONS;
  readonly path: string;
  readonly count?: number;
  /** Of the answer as compact JSON; of an object, of its sorted entries. */
  readonly sha256_sorted_json?: string;
  readonly err?: string;
}

/** What we do: `users` or the name of an error, and the body that was served. */
interface Outcome {
  readonly row: Row;
  readonly users?: object;
  readonly error?: string;
  readonly body: string;
}

const OPERATIONS = {
  get_lotw_users: getLogbookUsers,
  get_clublog_users: getLogsiteUsers,
  get_eqsl_users: getCardsiteUsers,
};

const REAL = [
  "lotw-user-activity.csv",
  "lotw_data_with_errors.html",
  "clublog-users.json.zip",
  "eqsl_data.html",
];

/** The bodies of the small cases are not recorded; these lead to the recorded counts, samples and messages. */
const TEXTS: Readonly<Record<string, string>> = {
  lotw_ok: "DH1TW,2023-01-02,10:11:12\nW1AW,2024-05-01,13:14:15\n",
  lotw_crlf: "DH1TW,2023-01-02,10:11:12\r\nW1AW,2024-05-01,13:14:15\r\n",
  lotw_nocomma: "<html>\n<body>Service unavailable</body></html>",
  lotw_10bad: "X1,bad\n".repeat(10),
  lotw_11bad: "X1,bad\n".repeat(11),
  eqsl_ok: "List of AG members as of 11-Oct-2014 15:00 UTC\r\nW1AW\r\ndl1abc\r\nHC2/al1o\r\n",
  cl_notzip: "this is no archive",
  empty: "",
};
const ZIPPED_TEXTS: Readonly<Record<string, string>> = {
  cl_ok: JSON.stringify({
    DH1TW: {
      firstqso: "2012-01-01 19:59:27",
      lastupload: "2013-05-08 15:00:06",
      "last-lotw": "2013-05-09 01:56:23",
      locator: "JN48QM",
      oqrs: true,
    },
    X1: { firstqso: "0000-00-00 00:00:00", lastqso: "2013-05-05 06:39:03" },
    X2: {},
    X3: { firstqso: 12345 },
  }),
  cl_apos: '{"DH1TW":{"locator":"J\'N48"}}',
  cl_single: "{'DH1TW': {'oqrs': true}}",
  cl_notjson: "no JSON",
  cl_list: "[]",
};

/** Users of cl_ok with a value that can't be read. */
const WITH_BAD_VALUE = new Set(["X1", "X3"]);

/** Each rule has a section of its name in docs/differences.md, and explains just the answer that it leads to. */
const RULES: readonly (readonly [name: string, explains: (outcome: Outcome) => boolean])[] = [
  [
    "equal",
    ({ row, users, error }) =>
      row.err === undefined ? isPeers(row, users) : error === (row.err === "OSError" ? "IOError" : row.err),
  ],
  ["time-of-the-last-upload", ({ row, users }) => isPeers(row, sorted(users, dayAlone))],
  ["last-logbook", ({ row, users }) => isPeers(row, sorted(users, peersRecord))],
  [
    "one-bad-value",
    ({ row, users }) =>
      isPeers(
        row,
        sorted(users, peersRecord)?.filter(([call]) => !WITH_BAD_VALUE.has(call)),
      ) &&
      JSON.stringify(sorted(users, Object.keys)?.filter(([call]) => WITH_BAD_VALUE.has(call))) ===
        '[["X1",["lastqso"]],["X3",[]]]',
  ],
  [
    "one-entry-per-line",
    ({ row, users }) => Array.isArray(users) && isPeers(row, users.join(" ").split(/\s+/)),
  ],
  [
    "apostrophes-in-lists",
    ({ row, users, body }) =>
      row.err === "JSONDecodeError" && JSON.stringify(users) === body && body.includes("'"),
  ],
  [
    "json-in-single-quotes",
    ({ row, error, body }) => row.count === 1 && error === "IOError" && body.startsWith("{'"),
  ],
  ["web-pages-are-no-lists", ({ error, body }) => error === "IOError" && body.startsWith("<")],
  ["empty-lists", ({ row, error, body }) => row.count === 0 && error === "IOError" && body === ""],
  ["no-line-readable", ({ row, error, body }) => row.count === 0 && error === "ValueError" && body !== ""],
  [
    "list-errors-of-one-kind",
    ({ row, error }) =>
      error === "IOError" &&
      ["AttributeError", "BadZipFile", "JSONDecodeError", "MissingSchema"].includes(row.err ?? ""),
  ],
];

const differences = readFileSync(new URL("../../../../docs/differences.md", import.meta.url), "utf8");

describe("the differences from the peer in user lists", () => {
  it.each(RULES.slice(1))("are documented under their name: %s", (name) => {
    expect(differences).toContain(`\n### ${name}\n`);
  });
});

describe.skipIf(!hasGolden)("the peer's answers about user lists", () => {
  it("are ours too, but for the named differences", async () => {
    const outcomes = await outcomesOf(goldenRows<Row>("qsl"));
    const counts: Record<string, number> = {};
    const faults: string[] = [];
    for (const outcome of outcomes) {
      const [rule] = RULES.find(([, explains]) => explains(outcome)) ?? [];
      if (rule === undefined) faults.push(`${outcome.row.fn} ${outcome.row.path}: ${outcome.error}`);
      else counts[rule] = (counts[rule] ?? 0) + 1;
    }
    expect(faults).toEqual([]);
    expect(counts).toEqual({
      equal: 10,
      "apostrophes-in-lists": 1,
      "empty-lists": 2,
      "json-in-single-quotes": 1,
      "last-logbook": 1,
      "list-errors-of-one-kind": 7,
      "no-line-readable": 1,
      "one-bad-value": 1,
      "one-entry-per-line": 1,
      "time-of-the-last-upload": 3,
      "web-pages-are-no-lists": 2,
    });
  });

  it("name the same users of the logbook with the same days, and the list has the times", async () => {
    const filename = dataPath("lotw-user-activity.csv");
    const users = await getLogbookUsers({ filename });
    const peers = readJson("qsl_lotw_fixture") as Record<string, string>;
    const lines = readFileSync(filename, "utf8").trim().split("\n");
    expect(lines).toHaveLength(108_950);
    expect(Object.keys(peers)).toHaveLength(108_950);
    const faults = lines.filter((line) => {
      const [call = "", date = "", time = ""] = line.split(",");
      return users[call]?.toISOString() !== `${date}T${time}.000Z` || peers[call] !== `${date}T00:00:00`;
    });
    expect(faults).toEqual([]);
    expect(Object.keys(users)).toHaveLength(108_950);
  });

  it("name the same members of the card service, but that the peer cuts 90 lines at their blanks", async () => {
    const users = await getCardsiteUsers({ filename: dataPath("eqsl_data.html") });
    const peers = readJson("qsl_eqsl_fixture") as string[];
    expect(users).toHaveLength(85_661);
    expect(peers).toHaveLength(85_775);
    const whole = users.filter((entry) => !entry.includes(" "));
    expect(whole).toHaveLength(85_571);
    const ours = new Set(whole);
    const words = new Set(users.filter((entry) => entry.includes(" ")).flatMap((entry) => entry.split(/ +/)));
    expect(peers.filter((entry) => !ours.has(entry) && !words.has(entry))).toEqual([]);
    const theirs = new Set(peers);
    expect(whole.filter((entry) => !theirs.has(entry))).toEqual([]);
  });

  it("leave nothing of the real lists out", async () => {
    const logger = rememberingLogger();
    await getLogbookUsers({ filename: dataPath("lotw-user-activity.csv"), logger });
    await getLogsiteUsers({ filename: dataPath("clublog-users.json.zip"), logger });
    await getCardsiteUsers({ filename: dataPath("eqsl_data.html"), logger });
    expect(logger.messages).toEqual([]);
  });
});

/** What we answer to all of them, from a server that serves the lists. */
async function outcomesOf(rows: readonly Row[]): Promise<Outcome[]> {
  const server = await startFileServer();
  const zips = Object.entries(ZIPPED_TEXTS).map(([path, text]) => [path, zipped(text)] as const);
  const files = REAL.map((name) => [name, readFileSync(dataPath(name))] as const);
  server.answers = [sendsByPath({ ...TEXTS, ...Object.fromEntries(zips), ...Object.fromEntries(files) })];
  try {
    return await Promise.all(rows.map((row) => outcomeOf(row, server.url)));
  } finally {
    await server.close();
  }
}

async function outcomeOf(row: Row, serverUrl: string): Promise<Outcome> {
  const path = row.path.replace("/", "");
  const url = ADDRESSES[row.path] ?? new URL(row.path, serverUrl).href;
  const body = TEXTS[path] ?? ZIPPED_TEXTS[path] ?? "";
  try {
    return { row, body, users: await OPERATIONS[row.fn]({ url, logger: rememberingLogger() }) };
  } catch (error) {
    if (!isHamkitError(error)) throw error;
    return { row, body, error: error instanceof ValueError ? "ValueError" : error.name };
  }
}

const ADDRESSES: Readonly<Record<string, string>> = {
  "(connection refused)": "http://127.0.0.1:1/x",
  "(bad url)": "not a url",
};

/** Whether the peer's answer has these entries: its hash is of compact JSON. */
function isPeers({ sha256_sorted_json: hash }: Row, answer: object | undefined): boolean {
  if (hash === undefined || answer === undefined) return false;
  return createHash("sha256").update(JSON.stringify(answer)).digest("hex") === hash;
}

/** The entries sorted by call, their values converted; `undefined` where there is no object of users by call. */
function sorted<Converted>(
  users: object | undefined,
  convert: (value: object) => Converted,
): [call: string, converted: Converted][] | undefined {
  if (users === undefined || Array.isArray(users)) return undefined;
  const entries = Object.entries(users) as [string, object][];
  return entries
    .map(([call, value]): [string, Converted] => [call, convert(value)])
    .sort(([first], [second]) => (first < second ? -1 : 1));
}

/** A moment as the peer has it: the day alone. */
function dayAlone(moment: object): string | undefined {
  return moment instanceof Date ? `${moment.toISOString().slice(0, 10)}T00:00:00` : undefined;
}

/** A record of the log service with the peer's keys, in its order. */
function peersRecord(user: LogsiteUser): object {
  const second = (moment: Date | undefined) => moment?.toISOString().slice(0, 19);
  return {
    firstqso: second(user.firstqso),
    lastqso: second(user.lastqso),
    "last-lotw": second(user["last-logbook"]),
    lastupload: second(user.lastupload),
    locator: user.locator,
    oqrs: user.oqrs,
  };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(dataPath(`../golden/${name}.json`), "utf8"));
}
