import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import { getLogsiteUsers } from "../../src/user-lists/log-service.js";
import { startFileServer, type FileServer } from "../fixtures/file-server.js";
import { rememberingLogger, sendsByPath, zipped } from "./lists.js";

let server: FileServer;
let logger: ReturnType<typeof rememberingLogger>;
beforeEach(async () => {
  server = await startFileServer();
  logger = rememberingLogger();
});
afterEach(() => server.close());

function readBytes(body: string | Uint8Array) {
  server.answers = [sendsByPath({ "cty.plist": body })];
  return getLogsiteUsers({ url: server.url, logger });
}

/** Compact JSON is scanned; with line breaks in it, it is parsed: both must answer alike. */
const LAYOUTS = [
  ["compact", (value: unknown) => JSON.stringify(value)],
  ["spread over lines", (value: unknown) => JSON.stringify(value, null, 2)],
] as const;

describe.each(LAYOUTS)("getLogsiteUsers, of JSON that is %s,", (_layout, toJson) => {
  const read = (value: unknown) => readBytes(zipped(toJson(value)));

  it("gives all that is known of users, under the mission's keys, in UTC", async () => {
    const users = await read({
      DH1TW: {
        firstqso: "2012-01-01 19:59:27",
        lastqso: "2013-05-05 06:39:03",
        lastupload: "2013-05-08 15:00:06",
        locator: "JN48QM",
        oqrs: true,
        "last-lotw": "2013-05-09 01:56:23",
      },
      "1B/TA7AOF": { oqrs: false },
      "9H1AZ-1": {},
    });
    expect(users).toEqual({
      DH1TW: {
        firstqso: new Date("2012-01-01T19:59:27Z"),
        lastqso: new Date("2013-05-05T06:39:03Z"),
        "last-logbook": new Date("2013-05-09T01:56:23Z"),
        lastupload: new Date("2013-05-08T15:00:06Z"),
        locator: "JN48QM",
        oqrs: true,
      },
      "1B/TA7AOF": { oqrs: false },
      "9H1AZ-1": {},
    });
    expect(Object.keys(users["DH1TW"] ?? {}).toSorted()).toEqual([
      "firstqso",
      "last-logbook",
      "lastqso",
      "lastupload",
      "locator",
      "oqrs",
    ]);
    expect(logger.messages).toEqual([]);
  });

  it("leaves out fields that are null, and unknown fields", async () => {
    const fields = { firstqso: null, lastupload: null, locator: null, oqrs: null, "last-lotw": null };
    expect(await read({ W1AW: fields, K1JT: { ...fields, "last-eqsl": "2024-05-01", oqrs: true } })).toEqual({
      W1AW: {},
      K1JT: { oqrs: true },
    });
    expect(logger.messages).toEqual([]);
  });

  it("drops one bad date alone, where the peer drops the user", async () => {
    const users = await read({
      X1: { firstqso: "0000-00-00 00:00:00", lastqso: "2013-05-05 06:39:03", oqrs: true },
      X2: { lastupload: "2023-02-30 00:00:00" },
      W1AW: { firstqso: "2013-05-05T06:39:03", lastqso: "2013-05-05", lastupload: "" },
    });
    expect(users).toEqual({
      X1: { lastqso: new Date("2013-05-05T06:39:03Z"), oqrs: true },
      X2: {},
      W1AW: {},
    });
    expect(logger.messages).toEqual([
      `${server.url}: skipped 5 values or users as invalid, ` +
        'the first is firstqso of "X1": "0000-00-00 00:00:00"',
    ]);
  });

  it("drops a value of the wrong type alone", async () => {
    const users = await read({
      X3: { firstqso: 12345, lastqso: ["2013-05-05 06:39:03"], locator: 7, oqrs: "yes" },
      X4: { oqrs: 1, locator: {} },
      W1AW: { locator: "FN31" },
    });
    expect(users).toEqual({ X3: {}, X4: {}, W1AW: { locator: "FN31" } });
    expect(logger.messages).toEqual([expect.stringContaining("skipped 6 values or users as invalid")]);
  });

  it("skips entries that are not users, but keeps users without data, even as an empty array", async () => {
    expect(await read({ A: null, B: 1, C: "x", D: [1], E: [], F: {}, G: true })).toEqual({ E: {}, F: {} });
    expect(logger.messages).toEqual([
      expect.stringContaining('skipped 5 values or users as invalid, the first is user "A": null'),
    ]);
  });

  it("keeps apostrophes, on which the peer breaks", async () => {
    expect(await read({ "D'X": { locator: "J'N48" }, W1AW: {} })).toEqual({
      "D'X": { locator: "J'N48" },
      W1AW: {},
    });
  });

  it.each(["__proto__", "constructor", "toString"])("takes %s for a name like others", async (name) => {
    const users = await read(
      Object.fromEntries([
        [name, { oqrs: true }],
        ["W1AW", {}],
      ]),
    );
    expect(Object.getPrototypeOf(users)).toBeNull();
    expect(Object.keys(users)).toEqual([name, "W1AW"]);
    expect(users[name]).toEqual({ oqrs: true });
    expect(users["hasOwnProperty"]).toBeUndefined();
  });

  it("takes no prototype from the fields of a user", async () => {
    const users = await readBytes(zipped('{"W1AW":{"__proto__":{"oqrs":true}},"K1JT":{}}'));
    expect(users["W1AW"]).toEqual({});
    expect(users["W1AW"]?.oqrs).toBeUndefined();
    expect(({} as { oqrs?: unknown }).oqrs).toBeUndefined();
  });

  it.each([
    ["an array", [], "not a JSON object of users"],
    ["an array of users", [{ W1AW: {} }], "not a JSON object of users"],
    ["a number", 5, "not a JSON object of users"],
    ["null", null, "not a JSON object of users"],
    ["an object without users", {}, "the list has no users"],
    [
      "an error message",
      { error: "over quota" },
      'the content is not the user list: user "error": "over quota"',
    ],
  ])("fails for %s", async (_, value, reason) => {
    const failure: unknown = await read(value).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IOError);
    expect(String(failure)).toContain(`${server.url}: `);
    expect(String(failure)).toContain(reason);
  });
});

/** As text, for JSON is what is in the outer archive. */
function zippedTwice(content: string): Uint8Array {
  return zipped(Buffer.from(zipped(content)).toString("latin1"));
}

describe("getLogsiteUsers", () => {
  const failureOf = async (body: string | Uint8Array): Promise<IOError> => {
    const failure: unknown = await readBytes(body).catch((error: unknown) => error);
    if (!(failure instanceof IOError)) throw new Error(`No IOError: ${String(failure)}`);
    expect(failure.resource).toBe(server.url);
    return failure;
  };

  it.each([
    "{'DH1TW':{'oqrs':true}}",
    '{"DH1TW":{"oqrs":true}',
    '{"DH1TW":{"oqrs":true},}',
    '{"DH1TW":{"oqrs":true,}}',
    '{"DH1TW":{"oqrs":truth}}',
    '{"DH1TW":{,"oqrs":true}}',
    '{"DH1TW":{"locator":"JN\n48"}}',
    '{"DH1TW":{"oqrs":true}}{}',
    "{",
    "no JSON",
    "",
  ])("fails for an archive of what is no JSON, and has the reason as cause: %s", async (text) => {
    const failure = await failureOf(zipped(text));
    expect(failure.message).toContain("the list is not JSON");
    expect(failure.cause).toBeInstanceOf(SyntaxError);
  });

  it.each([
    ["text", "Service unavailable", "it is not a zip archive"],
    ["JSON without archive", '{"DH1TW":{"oqrs":true}}', "it is not a zip archive"],
    ["an archive that is cut off", zipped('{"DH1TW":{}}').subarray(0, 100), "or is truncated"],
    ["an archive of another list", zipped("W1AW,2024-05-01", "users.csv"), "the list is not JSON"],
    ["an archive of an archive", zippedTwice('{"DH1TW":{}}'), "the list is not JSON"],
    ["JSON that opens a million brackets", zipped("[".repeat(1_000_000)), "the list is not JSON"],
  ])("fails for %s, and has the reason as cause", async (_, body, reason) => {
    const failure = await failureOf(body);
    expect(failure.message).toContain(reason);
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it("rejects an archive that unpacks to more than 64 MiB", async () => {
    const bomb = zipped(" ".repeat(65 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    expect((await failureOf(bomb)).message).toContain("more than the 67108864 allowed");
  });

  it("rejects an archive that unpacks to more than it declares, before all is unpacked", async () => {
    const bomb = Buffer.from(zipped("{}".repeat(25 * 1024 * 1024)));
    bomb.writeUInt32LE(1000, bomb.lastIndexOf("PK\u0001\u0002", undefined, "latin1") + 24);
    const before = process.memoryUsage().arrayBuffers;
    expect((await failureOf(bomb)).message).toContain("its file is larger than declared");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it("leaves out a user that is a million arrays in each other", async () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(await readBytes(zipped(`{"W1AW":{"oqrs":true},"X1":${deep}}`))).toEqual({ W1AW: { oqrs: true } });
  });

  it("reads a list that uses our name of the logbook, too", async () => {
    expect(await readBytes(zipped('{"W1AW":{"last-logbook":"2024-05-01 12:00:00"}}'))).toEqual({
      W1AW: { "last-logbook": new Date("2024-05-01T12:00:00Z") },
    });
  });
});
