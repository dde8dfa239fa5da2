import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toLogsiteUser, type LogsiteUsers, scanUsers } from "../../src/user-lists/log-service.js";
import { noOmissions } from "../../src/user-lists/list-file.js";

const SMALL =
  '{"1A0C":{"firstqso":"2012-07-01 06:25:58","lastqso":"2012-07-05 05:46:42","locator":"JN61FV","oqrs":false,' +
  '"last-lotw":"2016-04-23 20:15:52"},"1B\\/TA7AOF":{"oqrs":true},"1U4UN":{"lastupload":null},"2A0BQI":{}}';

/** What the slow way makes of a text; `undefined` where it is no JSON. */
function parsed(text: string): unknown {
  let value: Record<string, object>;
  try {
    value = JSON.parse(text) as Record<string, object>;
  } catch {
    return undefined;
  }
  const users = Object.create(null) as LogsiteUsers;
  for (const [call, fields] of Object.entries(value))
    users[call] = toLogsiteUser(call, fields, noOmissions());
  return users;
}

/** Whether the scan answers; if so, it must answer what the slow way does. */
function answersAlike(text: string): boolean {
  const users = scanUsers(text, noOmissions());
  expect(users ?? parsed(text)).toEqual(parsed(text));
  return users !== undefined;
}

const date = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((moment) => moment.toISOString().slice(0, 19).replace("T", " ")),
  fc.constantFrom(null, "", "0000-00-00 00:00:00", "2023-02-30 12:00:00", "2023/01/01 00:00:00", 5),
);
const fields = fc.record(
  {
    firstqso: date,
    lastqso: date,
    lastupload: date,
    locator: fc.oneof(fc.string(), fc.constant(null)),
    oqrs: fc.oneof(fc.boolean(), fc.constant(null)),
    "last-lotw": date,
  },
  { requiredKeys: [] },
);
const lists = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("W1AW", "A/B", "7", "\\")), fields, {
  minKeys: 1,
});

describe("scanUsers", () => {
  it("reads the layout of the service", () => {
    const users = scanUsers(SMALL, noOmissions());
    expect(users).toEqual(parsed(SMALL));
    expect(Object.keys(users ?? {})).toEqual(["1A0C", "1B/TA7AOF", "1U4UN", "2A0BQI"]);
  });

  it("reads it with blanks at the end", () => {
    expect(scanUsers(`${SMALL}\r\n`, noOmissions())).toEqual(parsed(SMALL));
  });

  it("counts the same omissions as the slow way", () => {
    const text = '{"A":{"firstqso":"x","lastqso":"2012-07-01 06:25:58","lastupload":"2012-07-01T06:25:58"}}';
    const scan = noOmissions();
    const slow = noOmissions();
    scanUsers(text, scan);
    toLogsiteUser("A", (JSON.parse(text) as { A: object }).A, slow);
    expect(scan).toEqual(slow);
    expect(scan.count).toBe(2);
  });

  it("returns the same as the slow parser, or nothing, for any list", () => {
    let answered = 0;
    fc.assert(
      fc.property(lists, (list) => {
        const text = JSON.stringify(list);
        if (answersAlike(text)) answered++;
        if (answersAlike(text.replaceAll("/", "\\/"))) answered++;
      }),
      { numRuns: 500 },
    );
    expect(answered).toBeGreaterThan(0);
  });

  it("returns the same as the slow parser, or nothing, for a text with any one character changed, added or lost", () => {
    let answered = 0;
    for (let index = 0; index <= SMALL.length; index++) {
      for (const character of ['"', "\\", "{", "}", ",", ":", " ", "\n", "\u0000", "0", "n", "ß", ""]) {
        const behind = SMALL.slice(index + 1);
        if (answersAlike(SMALL.slice(0, index) + character + behind)) answered++;
        if (answersAlike(SMALL.slice(0, index) + character + SMALL.slice(index))) answered++;
      }
    }
    expect(answered).toBeGreaterThan(500);
  });

  it("returns the same as the slow parser, or nothing, for every beginning of a text", () => {
    for (let length = 0; length < SMALL.length; length++)
      expect(scanUsers(SMALL.slice(0, length), noOmissions())).toBeUndefined();
  });

  it("leaves other layouts to the slow way", () => {
    expect(scanUsers(JSON.stringify(JSON.parse(SMALL), null, 1), noOmissions())).toBeUndefined();
    expect(scanUsers('{"A":{"oqrs":true,"oqrs":false}}', noOmissions())).toBeUndefined();
    expect(scanUsers('{"A":{"oqrs":true,"locator":"JN48"}}', noOmissions())).toBeUndefined();
    expect(scanUsers('{"\\u0041":{}}', noOmissions())).toBeUndefined();
  });
});
