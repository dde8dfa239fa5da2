/** The services over HTTP, with their answers as UPLOADS.md and public clients have them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ValueError } from "../../src/errors.js";
import {
  openLotwKey,
  uploadLog,
  uploadToLotw,
  type UploadServiceName,
  type UploadSettings,
} from "../../src/uploads.js";
import { journalWith, qso, serviceDouble, SETTINGS } from "./service-double.js";

const double = serviceDouble();

describe("a contact", () => {
  it.each([
    ["eqsl", { body: "<HTML>Result: 1 out of 1 records added<BR></HTML>" }, "accepted"],
    [
      "eqsl",
      {
        body: "Warning: Y=2024 M=06 D=30 W1AW 20M CW Bad record: Duplicate<BR>Result: 0 out of 1 records added",
      },
      "duplicate",
    ],
    [
      "eqsl",
      { body: "Warning: Y=2024 Bad record: Bad band<BR>Result: 0 out of 1 records added" },
      "rejected",
    ],
    ["eqsl", { body: "Error: No match on eQSL_User/eQSL_Pswd" }, "login-failed"],
    ["clublog", { body: "OK" }, "accepted"],
    ["clublog", { body: "OK - dupe" }, "duplicate"],
    ["clublog", { status: 400, body: "QSO rejected: invalid band" }, "rejected"],
    ["clublog", { status: 403, body: "Login rejected" }, "login-failed"],
    ["qrz", { body: "RESULT=OK&LOGID=130877825&COUNT=1" }, "accepted"],
    [
      "qrz",
      { body: "STATUS=FAIL&RESULT=FAIL&REASON=Unable to add QSO to database: duplicate&EXTENDED=" },
      "duplicate",
    ],
    ["qrz", { body: "RESULT=FAIL&REASON=wrong station_callsign for this logbook&COUNT=0" }, "rejected"],
    ["qrz", { body: "RESULT=AUTH" }, "login-failed"],
    ["qrz", { body: "RESULT=FAIL&REASON=invalid api key AAAA-BBBB-CCCC" }, "login-failed"],
    [
      "hrdlog",
      { body: "<?xml version='1.0'?><NewEntry><insert>1</insert><id>5</id></NewEntry>" },
      "accepted",
    ],
    ["hrdlog", { body: "<NewEntry><insert>0</insert></NewEntry>" }, "duplicate"],
    ["hrdlog", { body: "<NewEntry><error>Unable to parse the record</error></NewEntry>" }, "rejected"],
    ["hrdlog", { body: "<NewEntry><error>Unknown user</error></NewEntry>" }, "login-failed"],
    ["hamqth", { body: "QSO inserted" }, "accepted"],
    ["hamqth", { status: 400, body: "QSO rejected" }, "rejected"],
    ["hamqth", { status: 403, body: "Access denied" }, "login-failed"],
    ["cloudlog", { status: 201, body: '{"status":"created","type":"adif","string":"..."}' }, "accepted"],
    ["cloudlog", { status: 401, body: '{"status":"failed","reason":"missing api key"}' }, "login-failed"],
    ["wavelog", { status: 201, body: '{"status":"created","imported_count":1}' }, "accepted"],
    [
      "wavelog",
      { status: 400, body: '{"status":"abort","messages":["Date: 2024 Duplicate for W1AW"]}' },
      "duplicate",
    ],
    [
      "wavelog",
      { status: 400, body: '{"status":"abort","messages":["QSO time is not a valid date"]}' },
      "rejected",
    ],
  ] as const)("of %s with the answer %j is %s", async (service, reply, kind) => {
    double.replies = [reply];
    const kinds: string[] = [];
    const { accepted, duplicates, rejected, stopped } = await uploadLog([qso()], {
      service,
      settings: { ...SETTINGS[service], url: double.url },
      onContact: (contact) => kinds.push(contact.kind),
    });
    expect(kinds).toEqual([kind]);
    expect({ accepted, duplicates, rejected: rejected.length, stopped: stopped?.kind }).toEqual({
      accepted: kind === "accepted" ? 1 : 0,
      duplicates: kind === "duplicate" ? 1 : 0,
      rejected: kind === "rejected" ? 1 : 0,
      stopped: kind === "login-failed" ? kind : undefined,
    });
    // What a service says may have what it was sent.
    for (const secret of ["s3cret", "AAAA-BBBB-CCCC", "c0de", "cl-key", "wl-key"])
      expect(JSON.stringify([rejected, stopped])).not.toContain(secret);
  });

  it.each([
    ["eqsl", /^ADIFData=.*&EQSL_USER=DH1TW&EQSL_PSWD=s3cret%26word$/],
    [
      "clublog",
      /^email=a%40example\.org&password=s3cret%26word&callsign=DH1TW&adif=.*&api=key-of-the-program$/,
    ],
    ["qrz", /^KEY=AAAA-BBBB-CCCC&ACTION=INSERT&ADIF=/],
    ["hrdlog", /^Callsign=DH1TW&Code=c0de&App=hamkit&ADIFData=/],
    ["hamqth", /^u=DH1TW&p=s3cret%26word&c=DH1TW&adif=.*&prg=hamkit&cmd=insert$/],
    ["cloudlog", /^\{"key":"cl-key","station_profile_id":"1","type":"adif","string":"<CALL:4>W1AW/],
  ] as const)("is sent to %s in its form, without the notes of the log", async (service, form) => {
    double.replies = [{ body: "?" }];
    await double.upload(
      service,
      [qso("W1AW", { NAME: "J\u00f6rg", NOTES: "secret note", APP_X: "1", QSL_RCVD: "Y" })],
      {
        signal: AbortSignal.timeout(30_000),
      },
    );
    const [request] = double.requests;
    expect(request?.body).toMatch(form);
    const text = decodeURIComponent((request?.body ?? "").replaceAll("+", " "));
    expect(text).not.toMatch(/NOTES|APP_X|QSL_RCVD/);
    expect(text).toContain("<NAME:5>");
    expect(request?.headers["user-agent"]).toBe("hamkit");
    expect(request?.path).toBe(service === "cloudlog" ? "/index.php/api/qso" : "/");
  });
});

describe("a run", () => {
  it("sends one contact at a time, and none again that was accepted", async () => {
    const keys = new Set<string>();
    const journal = journalWith(keys);
    double.replies = [{ body: "QSO inserted" }, { status: 400, body: "bad" }, { body: "duplicate" }];
    const log = [qso("W1AW"), qso("K1ABC"), qso("K2ABC"), qso("K3ABC", { HAMQTH_QSO_UPLOAD_STATUS: "Y" })];
    const first = await double.upload("hamqth", log, { journal });
    expect(first).toMatchObject({
      accepted: 1,
      duplicates: 1,
      known: 1,
      rejected: [{ index: 1, reason: "bad" }],
    });
    double.replies = [{ body: "QSO inserted" }];
    const second = await double.upload("hamqth", log, { journal });
    expect(second).toMatchObject({ accepted: 1, known: 3, rejected: [] });
    expect(double.requests).toHaveLength(4);
    expect(keys.size).toBe(3);
  });

  it("ends with a failed login: no further request is made", async () => {
    double.replies = [{ body: "QSO inserted" }, { status: 403, body: "Access denied" }];
    const result = await double.upload("hamqth", [qso("W1AW"), qso("K1ABC"), qso("K2ABC")]);
    expect(result).toMatchObject({ accepted: 1, stopped: { index: 1, kind: "login-failed" } });
    expect(double.requests).toHaveLength(2);
  });

  it("waits twice as long before each attempt, and ends after the fourth", async () => {
    double.replies = [{ status: 500 }, { status: 503 }, { body: "OK" }];
    expect(await double.upload("hamqth", [qso()])).toMatchObject({ accepted: 1, waits: [2000, 4000] });
    double.replies = [{ status: 500, body: "down" }];
    const down = await double.upload("hamqth", [qso(), qso("K1ABC")]);
    expect(down).toMatchObject({
      accepted: 0,
      waits: [2000, 4000, 8000],
      stopped: { kind: "unavailable", reason: "down" },
    });
    expect(double.requests).toHaveLength(3 + 4);
  });

  it.each([302, 307, 308])("follows no redirect %i, which would take the password along", async (status) => {
    const other: string[] = [];
    const elsewhere = createServer((request, response) => {
      other.push(request.url ?? "");
      response.end("QSO inserted");
    });
    await new Promise<void>((resolve) => {
      elsewhere.listen(0, "127.0.0.2", resolve);
    });
    const { port } = elsewhere.address() as AddressInfo;
    double.replies = [{ status, headers: { location: `http://127.0.0.2:${port}/` } }];
    for (const service of ["hamqth", "clublog", "wavelog"] as const) {
      const { stopped } = await double.upload(service, [qso(), qso("K1ABC")]);
      expect(stopped).toMatchObject({ kind: "unavailable", reason: `HTTP ${status}: the service has moved` });
    }
    expect(other).toEqual([]);
    elsewhere.close();
  });

  it.each(["clublog", "hamqth", "cloudlog", "wavelog", "qrz", "eqsl", "hrdlog"] as const)(
    "takes no web page for an answer of %s: a hotel's network, or the login of Cloudlog",
    async (service) => {
      double.replies = [{ body: "<!DOCTYPE html><html><body>Please log in. OK?</body></html>" }];
      expect(await double.upload(service, [qso()])).toMatchObject({
        accepted: 0,
        duplicates: 0,
        stopped: { kind: "unavailable", reason: "Please log in. OK?" },
      });
    },
  );

  it.each([
    ["in JSON, as PHP writes it", '{"reason":"pass\\/word\\"&<x is wrong"}'],
    ["in HTML", "<b>pass/word&quot;&amp;&lt;x</b> is wrong"],
    ["in a form", "pass%2Fword%22%26%3Cx is wrong"],
    ["where the reason ends", `${"x".repeat(195)}pass/word"&<x`],
    ["with tags in it", 'pass/word"&<x is wrong> here'],
  ])("shows no part of a secret %s", async (_, body) => {
    double.replies = [{ status: 403, body }];
    const settings = { user: "DH1TW", callsign: "DH1TW", password: 'pass/word"&<x', url: double.url };
    const { stopped } = await uploadLog([qso()], { service: "hamqth", settings });
    expect(stopped?.reason).toContain("***");
    expect(stopped?.reason).not.toMatch(/pass|word/);
  });

  it("reads no more than a megabyte of an answer", async () => {
    let sent = 0;
    const endless = createServer((request, response) => {
      request.resume();
      const piece = Buffer.alloc(65_536, "<p>no</p>");
      const write = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
      };
      response.on("drain", write);
      write();
    });
    await new Promise<void>((resolve) => {
      endless.listen(0, "127.0.0.1", resolve);
    });
    const { port } = endless.address() as AddressInfo;
    const settings = { ...SETTINGS.eqsl, url: `http://127.0.0.1:${port}/` };
    const result = await uploadLog([qso()], { service: "eqsl", settings, wait: async () => {} });
    expect(result.stopped?.reason).toMatch(/^no no .{0,195}$/);
    expect(sent).toBeLessThan(4 * 16 * 1024 * 1024); // four attempts, with what the network holds
    endless.closeAllConnections();
    endless.close();
  });

  it("ends where twenty contacts in a row are refused", async () => {
    double.replies = [{ status: 400, body: "no" }];
    const log = Array.from({ length: 50 }, (_, index) =>
      qso(`K${index % 10}AB${String.fromCodePoint(65 + index)}`),
    );
    const { rejected, stopped } = await double.upload("hamqth", log);
    expect(rejected).toHaveLength(20);
    expect(stopped).toMatchObject({ index: 19, kind: "rejected" });
  });

  it("needs all settings, and a service", async () => {
    const run = (service: string, settings: UploadSettings) =>
      uploadLog([qso()], { service: service as UploadServiceName, settings });
    await expect(run("qrz", {})).rejects.toThrow("the secret key of QRZ");
    await expect(run("clublog", { email: "a" })).rejects.toThrow(ValueError);
    await expect(run("toString", {})).rejects.toThrow(ValueError);
    await expect(run("lotw", { p12: "x", p12Password: "y" })).rejects.toThrow("uploadToLotw");
  });

  it.each(["ftp://log.example.org", "log.example.org", "https://me:s3cret@log.example.org/"])(
    "takes no address %s: a message of the network would have its password",
    async (address) => {
      const settings = { ...SETTINGS.wavelog, url: address };
      const message = await uploadLog([qso()], { service: "wavelog", settings }).catch(String);
      expect(message).toMatch(
        /^ValueError: settings\.url: .* an address such as https:\/\/log\.example\.org/,
      );
      expect(message).not.toContain("s3cret");
    },
  );
});

describe("LoTW", () => {
  const key = openLotwKey(readFileSync(new URL("modern.p12", import.meta.url)), "secret-of-test");
  const now = new Date("2027-01-01T00:00Z");

  it("takes a signed file, and says what it did in a comment of its page", async () => {
    double.replies = [
      { body: "<html><!-- .UPL. accepted -->\n<!-- .UPLMESSAGE. File queued for processing --></html>" },
    ];
    const keys = new Set<string>();
    const journal = journalWith(keys);
    const log = [qso(), qso("K1ABC", { QSO_DATE: "20100101" }), qso("K2ABC", { LOTW_QSL_SENT: "Y" })];
    const result = await uploadToLotw(log, { key, url: double.url, now, journal });
    expect(result).toMatchObject({ accepted: 1, known: 1, rejected: [{ index: 1 }] });
    expect(double.requests[0]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(double.requests[0]?.body).toMatch(/name="upfile"; filename="hamkit\.tq8"/);
    expect(await uploadToLotw(log, { key, url: double.url, now, journal })).toMatchObject({
      accepted: 0,
      known: 2,
    });
    expect(double.requests).toHaveLength(1);
  });

  it("keeps nothing of a file that is rejected", async () => {
    double.replies = [{ body: "<!-- .UPL. rejected -->\n<!-- .UPLMESSAGE. Certificate not found -->" }];
    const added: string[] = [];
    const journal = { has: () => false, add: (each: string) => void added.push(each) };
    const result = await uploadToLotw([qso()], { key, url: double.url, now, journal });
    expect(result).toMatchObject({
      accepted: 0,
      stopped: { kind: "rejected", reason: "Certificate not found" },
    });
    expect(added).toEqual([]);
  });
});
