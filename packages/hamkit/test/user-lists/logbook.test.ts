import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isHamkitError, ValueError } from "../../src/errors.js";
import { getLogbookUsers } from "../../src/user-lists/logbook.js";
import { sends, startFileServer, type FileServer } from "../fixtures/file-server.js";
import { rememberingLogger } from "./lists.js";
import { cpuMs } from "../fixtures/cpu-time.js";

let server: FileServer;
let logger: ReturnType<typeof rememberingLogger>;
beforeEach(async () => {
  server = await startFileServer();
  logger = rememberingLogger();
});
afterEach(() => server.close());

function read(text: string) {
  server.answers = [sends(text)];
  return getLogbookUsers({ url: server.url, logger });
}

const good = (count: number): string =>
  Array.from({ length: count }, (_, index) => `W${index}AW,2024-05-01,12:00:00\n`).join("");
const bad = (count: number): string => "nonsense\n".repeat(count);

describe("getLogbookUsers", () => {
  it("keeps the time of day, in UTC, which the peer drops", async () => {
    expect(await read("DH1TW,2023-01-02,10:11:12\nW1AW,2024-02-29,23:59:59\n")).toEqual({
      DH1TW: new Date("2023-01-02T10:11:12Z"),
      W1AW: new Date("2024-02-29T23:59:59Z"),
    });
    expect(logger.messages).toEqual([]);
  });

  it.each([
    ["ends of lines of other systems", "W1AW,2024-05-01,12:00:00\r\n\r\nDH1TW,2023-01-02,00:00:00\r\n"],
    ["no end of line at the end", "W1AW,2024-05-01,12:00:00\nDH1TW,2023-01-02,00:00:00"],
    ["blanks around lines and calls", " W1AW ,2024-05-01,12:00:00  \n\n\t\nDH1TW,2023-01-02,00:00:00 "],
    ["a byte order mark", "\ufeffW1AW,2024-05-01,12:00:00\nDH1TW,2023-01-02,00:00:00\n"],
    ["no time of day, which is the day's beginning", "W1AW,2024-05-01,12:00:00\nDH1TW,2023-01-02\n"],
    ["further columns", "W1AW,2024-05-01,12:00:00,9,x\nDH1TW,2023-01-02,00:00:00,\n"],
    [
      "a user twice: the last line counts",
      "W1AW,1999-01-01,00:00:00\nDH1TW,2023-01-02\nW1AW,2024-05-01,12:00:00",
    ],
  ])("reads lists with %s", async (_, text) => {
    expect(await read(text)).toEqual({
      W1AW: new Date("2024-05-01T12:00:00Z"),
      DH1TW: new Date("2023-01-02T00:00:00Z"),
    });
    expect(logger.messages).toEqual([]);
  });

  it.each([
    "no comma",
    "W9XYZ",
    "W9XYZ,",
    ",2024-05-01,12:00:00",
    " ,2024-05-01,12:00:00",
    "W9XYZ,2023-02-30,12:00:00",
    "W9XYZ,20-11-23,12:00:00",
    "W9XYZ,0000-00-00,00:00:00",
    "W9XYZ,2024-05-01,24:00:00",
    "W9XYZ,2024-05-01,12:00",
    "W9XYZ,2024-05-01,12:00:001",
    "W9XYZ,2024-05-01,",
    "W9XYZ,2024-05-01x",
    "W9XYZ,2024-05-",
    "call,date,time",
    "W9XYZ;2024-05-01;12:00:00",
  ])("skips an invalid line, and reports it: %s", async (line) => {
    expect(Object.keys(await read(`W1AW,2024-05-01,12:00:00\n\n${line}\nDH1TW,2023-01-02,00:00:00`))).toEqual(
      ["W1AW", "DH1TW"],
    );
    expect(logger.messages).toEqual([
      `${server.url}: skipped 1 of 3 lines as invalid, the first is line 3: ${JSON.stringify(line.trim())}`,
    ]);
  });

  it("does not raise an IndexError for a line without a comma, as the peer does", async () => {
    await expect(read(`${good(3)}W9XYZ\n`)).resolves.toHaveProperty("W2AW");
  });

  it("does not let a line borrow the date of the next", async () => {
    expect(await read("W9XYZ\n,2024-05-01,12:00:00\nW1AW,2024-05-01,12:00:00")).toEqual({
      W1AW: new Date("2024-05-01T12:00:00Z"),
    });
    expect(logger.messages).toEqual([expect.stringContaining("skipped 2 of 3 lines as invalid")]);
  });

  it("leaves out ten bad lines, and takes the eleventh for a sign that this is another list", async () => {
    expect(Object.keys(await read(good(20) + bad(10)))).toHaveLength(20);
    const failure: unknown = await read(good(20) + bad(11)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ValueError);
    expect(failure).toMatchObject({ code: "user-list/unreadable", file: server.url });
    expect(isHamkitError(failure)).toBe(true);
    expect(String(failure)).toContain('11 invalid lines of 31, the first is line 21: "nonsense"');
  });

  it.each([1, 10])("fails where all lines are bad, be they only %d", async (count) => {
    await expect(read(bad(count))).rejects.toBeInstanceOf(ValueError);
  });

  it("shows bad lines escaped and shortened", async () => {
    await read(`${good(1)}\u001b[31m${"x".repeat(5000)}\n`);
    expect(logger.messages[0]).toMatch(/line 2: "\\u001b\[31mx+\.\.\."$/);
    expect(logger.messages[0]?.length).toBeLessThan(250);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "takes %s for a name like others",
    async (name) => {
      const users = await read(`${name},2024-05-01,12:00:00\nW1AW,2024-05-01,12:00:00`);
      expect(Object.getPrototypeOf(users)).toBeNull();
      expect(Object.keys(users)).toEqual([name, "W1AW"]);
      expect(users[name]).toEqual(new Date("2024-05-01T12:00:00Z"));
    },
  );

  it("knows no names but those of the list", async () => {
    const users = await read(good(1));
    expect("constructor" in users).toBe(false);
    expect(users["toString"]).toBeUndefined();
  });

  it("is through with a million lines without commas in time that grows with their number", async () => {
    const start = cpuMs();
    await expect(read("a\n".repeat(1_000_000))).rejects.toBeInstanceOf(ValueError);
    expect(cpuMs() - start).toBeLessThan(5000);
  });
});
