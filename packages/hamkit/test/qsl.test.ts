import { afterEach, beforeEach, describe, expect, it } from "vitest";

import * as qsl from "../src/qsl.js";
import { startFileServer, type FileServer } from "./fixtures/file-server.js";
import { sendsByPath, zipped } from "./user-lists/lists.js";

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.close());

describe("hamkit/qsl", () => {
  it("has the mission's three operations", () => {
    expect(Object.keys(qsl).toSorted()).toEqual(["getCardsiteUsers", "getLogbookUsers", "getLogsiteUsers"]);
  });

  it("gets all three lists at once", async () => {
    server.answers = [
      sendsByPath({
        log: zipped('{"DH1TW":{"last-lotw":"2013-05-09 01:56:23"}}'),
        cards: "List of AG members as of 11-Oct-2014 15:00 UTC\r\ndh1tw\r\n",
        book: "DH1TW,2013-05-09,01:56:23\n",
      }),
    ];
    const at = (path: string) => ({ url: new URL(path, server.url).href });
    const [log, cards, book] = await Promise.all([
      qsl.getLogsiteUsers(at("log")),
      qsl.getCardsiteUsers(at("cards")),
      qsl.getLogbookUsers(at("book")),
    ]);
    const moment = new Date("2013-05-09T01:56:23Z");
    expect(log).toEqual({ DH1TW: { "last-logbook": moment } });
    expect(cards).toEqual(["DH1TW"]);
    expect(book).toEqual({ DH1TW: moment });
  });

  it("reports invalid lines by a process warning without a logger", async () => {
    server.answers = [sendsByPath({ book: "DH1TW,2013-05-09,01:56:23\nbad\n" })];
    const url = new URL("book", server.url).href;
    const warned = new Promise<Error>((resolve) => {
      process.once("warning", resolve);
    });
    await qsl.getLogbookUsers({ url });
    expect(await warned).toMatchObject({
      name: "HamkitWarning",
      message: `${url}: skipped 1 of 2 lines as invalid, the first is line 2: "bad"`,
    });
  });
});
