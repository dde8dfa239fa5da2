import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError } from "../../src/errors.js";
import { getCardsiteUsers } from "../../src/user-lists/card-service.js";
import { startFileServer, type FileServer } from "../fixtures/file-server.js";
import { rememberingLogger, sendsByPath } from "./lists.js";

const HEADING = "List of AG members as of 11-Oct-2014 15:00 UTC";

let server: FileServer;
let logger: ReturnType<typeof rememberingLogger>;
beforeEach(async () => {
  server = await startFileServer();
  logger = rememberingLogger();
});
afterEach(() => server.close());

function read(text: string | Uint8Array) {
  server.answers = [sendsByPath({ "cty.plist": text })];
  return getCardsiteUsers({ url: server.url, logger });
}

describe("getCardsiteUsers", () => {
  it.each([
    ["ends of lines of Windows", `${HEADING}\r\nW1AW\r\ndl1abc\r\nHC2/al1o\r\n`],
    ["ends of lines of Unix, and none at the end", `${HEADING}\nW1AW\ndl1abc\nHC2/al1o`],
    ["no heading", "W1AW\ndl1abc\nHC2/al1o\n"],
    ["blanks around lines, and blank ones", `\n ${HEADING}\n\nW1AW \n\tdl1abc\n\n\nHC2/al1o\u00a0\n`],
  ])("gives the calls in capitals and in order, from lists with %s", async (_, text) => {
    expect(await read(text)).toEqual(["W1AW", "DL1ABC", "HC2/AL1O"]);
    expect(logger.messages).toEqual([]);
  });

  it("takes each line for one entry, where the peer makes calls of QRP, 2 and /", async () => {
    expect(await read(`${HEADING}\nIZ7SDD QRP\nEI 2 JY\nF8AAB / p\nW1AW`)).toEqual([
      "IZ7SDD QRP",
      "EI 2 JY",
      "F8AAB / P",
      "W1AW",
    ]);
  });

  it("keeps what members enter besides calls", async () => {
    const entries = ["2579", "LIONA", "G4HBI\\M", "DJ9CW(_P)", "R25ZIN,RA3Z", "KA9ADD*", "I-0282/PO", "W1AW"];
    expect(await read(entries.join("\n"))).toEqual(entries);
  });

  it("reads the crossed zeros of a list that is not in UTF-8", async () => {
    expect(await read(Buffer.from("2EØFVL\r\nW1AW\r\n", "latin1"))).toEqual(["2EØFVL", "W1AW"]);
    expect(await read("2EØFVL\r\nW1AW\r\n")).toEqual(["2EØFVL", "W1AW"]);
  });

  it.each(["__proto__", "constructor"])("takes %s for an entry like others", async (name) => {
    expect(await read(`${HEADING}\n${name}\nW1AW`)).toEqual([name.toUpperCase(), "W1AW"]);
  });

  it("skips invalid lines, and reports their number", async () => {
    const text = `${HEADING}\nW1AW\nDL1ABC\n<!-- cached -->\n${"X1".repeat(40)}\nK1JT`;
    expect(await read(text)).toEqual(["W1AW", "DL1ABC", "K1JT"]);
    expect(logger.messages).toEqual([
      `${server.url}: skipped 2 lines as invalid, the first is line 4: "<!-- CACHED -->"`,
    ]);
  });

  it.each([
    ["a web page, whose words the peer takes for users", "<html>\n<body>Service unavailable</body></html>"],
    ["a message in words", "Service temporarily unavailable\nTry again later\n"],
    ["a message in JSON", '{"error":503,\n"retry":60}'],
    ["a heading alone", `${HEADING}\r\n`],
    ["binary data", Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)],
    ["more lines that can be no entry than others", "W1AW\n{}\n<p>\n"],
  ])("fails for %s", async (_, text) => {
    const failure: unknown = await read(text).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IOError);
    expect(failure).toMatchObject({ resource: server.url });
    expect(logger.messages).toEqual([]);
  });
});
