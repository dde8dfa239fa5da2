/** Club Log over HTTP, with the answers that its pages and public clients have. */
import { describe, expect, it } from "vitest";

import { parseAdif } from "../../src/adif.js";
import { journalWith, qso, serviceDouble } from "./service-double.js";

const double = serviceDouble();

describe("Club Log", () => {
  const log = [qso("W1AW"), qso("K1ABC", { NAME: "J\u00f6rg", NOTES: "secret note" }), qso("K2ABC")];

  it("takes several contacts in a file, which it merges with what it has", async () => {
    double.replies = [{ body: "Upload success, 3 QSOs" }];
    const keys = new Set<string>();
    const journal = journalWith(keys);
    expect(await double.upload("clublog", [...log, qso("W1AW")], { journal })).toMatchObject({
      accepted: 3,
      known: 1, // W1AW is in the log twice
      rejected: [],
    });
    expect(double.requests).toHaveLength(1);
    const [{ path, body, headers } = { path: "", body: "", headers: {} }] = double.requests;
    expect(path).toBe("/putlogs.php");
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
    const fields = body.split(`--${boundary}`).flatMap((part) => {
      const [, name, value] =
        /name="(\w+)"(?:; filename="hamkit\.adi")?[^]*?\r\n\r\n([^]*)\r\n$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, value]];
    });
    const { file, ...rest } = Object.fromEntries(fields) as Record<string, string>;
    expect(rest).toEqual({
      email: "a@example.org",
      password: "s3cret&word",
      callsign: "DH1TW",
      clear: "0",
      api: "key-of-the-program",
    });
    const { records, findings } = parseAdif(Buffer.from(file ?? "", "latin1"));
    expect(findings.filter(({ level }) => level === "error")).toEqual([]);
    expect(records.map(({ CALL }) => CALL)).toEqual(["W1AW", "K1ABC", "K2ABC"]);
    expect(records[1]?.["NAME"]).toBe("J\u00f6rg");
    expect(file).not.toContain("secret note");
    expect(keys.size).toBe(3);
  });

  it("takes a single contact by itself: files of few are not wanted", async () => {
    double.replies = [{ body: "OK" }];
    expect(await double.upload("clublog", [qso()])).toMatchObject({ accepted: 1 });
    expect(double.requests[0]?.path).toBe("/");
  });

  it.each([
    [{ body: "checksum duplicate" }, "duplicates"],
    [{ status: 403, body: "Rejected: checksum duplicate" }, "duplicates"],
  ] as const)("knows a file that it has: %j", async (reply, count) => {
    double.replies = [reply];
    expect(await double.upload("clublog", log)).toMatchObject({ [count]: 3, rejected: [] });
  });

  // "If you don't receive a 200, show the error and stop": Club Log's page of putlogs.php.
  it.each([
    [{ status: 403, body: "Login rejected" }, "login-failed", "Login rejected"],
    [
      { status: 403, body: "Upload denied - callsign not configured for your account" },
      "login-failed",
      "Upload denied - callsign not configured for your account",
    ],
    [{ status: 400, body: "<h1>No QSOs found</h1>" }, "rejected", "No QSOs found"],
    [{ status: 500, body: "" }, "unavailable", "HTTP 500"],
    [{ status: 503, body: "<html><p>Maintenance</p></html>" }, "unavailable", "Maintenance"],
  ] as const)("is asked once where it answers %j", async (reply, kind, reason) => {
    double.replies = [reply];
    const added: string[] = [];
    const journal = { has: () => false, add: (key: string) => void added.push(key) };
    expect(await double.upload("clublog", log, { journal })).toMatchObject({
      accepted: 0,
      stopped: { index: 0, kind, reason },
      waits: [],
    });
    expect(double.requests).toHaveLength(1);
    expect(added).toEqual([]);
  });

  it("keeps the files that it accepted, and goes on with the next", async () => {
    const many = Array.from({ length: 10_002 }, (_, index) => qso(`K${index}A`));
    const keys = new Set<string>();
    const journal = journalWith(keys);
    double.replies = [{ body: "accepted" }, { status: 403, body: "Login rejected" }];
    expect(await double.upload("clublog", many, { journal })).toMatchObject({
      accepted: 10_000,
      stopped: { index: 10_000, kind: "login-failed" },
    });
    expect(keys.size).toBe(10_000);
    double.replies = [{ body: "accepted" }];
    expect(await double.upload("clublog", many, { journal })).toMatchObject({ accepted: 2, known: 10_000 });
    expect(double.requests.map(({ body }) => body.split("<EOR>").length - 1)).toEqual([10_000, 2, 2]);
  });
});
