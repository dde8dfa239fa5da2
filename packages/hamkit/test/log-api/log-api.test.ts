import { inspect } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AnswerError, APIKeyMissingError, IOError, TimeoutError, ValueError } from "../../src/errors.js";
import { createLogApi } from "../../src/log-api/log-api.js";
import { fails, sends, startFileServer, type FileServer } from "../fixtures/file-server.js";
import { APIKEY, ENGLAND, logApiOf, tells } from "../fixtures/log-service.js";
import { manualClock } from "../fixtures/manual-clock.js";

const AT = Date.UTC(2012, 2, 4, 5, 6, 7);

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
  server.answers = [tells(ENGLAND)];
});
afterEach(() => server.close());

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );
}

describe("createLogApi", () => {
  it("asks for the callsign at that minute, in UTC", async () => {
    await logApiOf(server).identify(" g7vjr/p ", AT);
    const [request] = server.requests;
    expect(request?.method).toBe("GET");
    expect(request?.url).toBe(
      `/dxcc?year=2012&month=03&day=04&hour=05&minute=06&api=${APIKEY}&full=1&call=G7VJR%2FP`,
    );
  });

  it("returns the service's record, with east positive", async () => {
    const answer = await logApiOf(server).identify("g7vjr-9", AT);
    const record = {
      country: "ENGLAND",
      adif: 223,
      continent: "EU",
      latitude: 51.5,
      longitude: -0.1,
      cqz: 14,
    };
    expect(answer).toEqual({
      kind: "identified",
      record,
      matchedBy: "service",
      match: "G7VJR",
      source: "Club Log",
    });
    expect(await logApiOf(server).exact("G7VJR", AT)).toEqual(record);
  });

  it("has no negative zero on the meridian", async () => {
    server.answers = [tells({ ...ENGLAND, Lon: "0.00" })];
    expect(await logApiOf(server).exact("G7VJR", AT)).toHaveProperty("longitude", 0);
  });

  it("distinguishes an unknown callsign from an invalid operation", async () => {
    server.answers = [tells({ DXCC: 0 }), tells({ DXCC: 1000, Name: "INVALID" })];
    const api = logApiOf(server);
    expect(await api.identify("XX1XX", AT)).toEqual({ kind: "unknown" });
    expect(await api.identify("SWL", AT)).toEqual({ kind: "invalid-operation" });
    expect(await api.exact("SWL", AT)).toBeUndefined();
  });

  it("reports that the service blocks the callsign for its entity", async () => {
    server.answers = [tells({ ...ENGLAND, Blocked: true })];
    expect(await logApiOf(server).identify("G7VJR", AT)).toMatchObject({
      record: { adif: 223, blocked: true },
      needsEntry: true,
    });
  });

  it("identifies stations at sea and in the air by their codes, whatever the other fields", async () => {
    server.answers = [tells({ DXCC: 999, Name: "", Continent: null }), tells({ DXCC: 998 })];
    const api = logApiOf(server);
    expect(await api.exact("G7VJR/MM", AT)).toMatchObject({ adif: 999, country: "MARITIME MOBILE" });
    expect(await api.exact("G7VJR/AM", AT)).toMatchObject({ adif: 998, continent: "" });
  });

  it.each([
    "",
    "??",
    "G7VJR&api=1",
    "G7VJR\r\nX: y",
    "ß1ABC",
    "DL1ABC/",
    "//",
    "A-B",
    "../x",
    "x".repeat(31),
  ])("does not bother the service with %j", async (text) => {
    expect(await logApiOf(server).identify(text, AT)).toEqual({ kind: "unknown" });
    expect(server.requests).toHaveLength(0);
  });

  it("times-before-1945: are unknown, because the service would answer for today", async () => {
    const api = logApiOf(server);
    expect(await api.identify("G7VJR", Date.UTC(1944, 11, 31, 23, 59))).toEqual({ kind: "unknown" });
    expect(await api.identify("G7VJR", Date.UTC(10_000, 0, 1))).toEqual({ kind: "unknown" });
    expect(server.requests).toHaveLength(0);
    expect(await api.identify("G7VJR", Date.UTC(1945, 0, 1))).toMatchObject({ kind: "identified" });
  });

  it("sends one request for concurrent lookups of a callsign", async () => {
    const api = logApiOf(server);
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.exact("G7VJR", AT)));
    expect(new Set(answers.map((record) => record?.adif))).toEqual(new Set([223]));
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer of the log service that can't be used", () => {
  it.each([
    ["a web page", "<html><body>maintenance</body></html>", "expected JSON, found a web page"],
    ["nothing", "", "expected JSON, found nothing"],
    ["half of an object", '{"DXCC": 223, "Name": "ENG', "expected JSON, found invalid or truncated JSON"],
    ["text", "Database error", "expected JSON, found other text"],
    ["a number", "223", "expected an object, found 223"],
    ["null", "null", "expected an object, found null"],
    ["an array", "[]", "expected an object, found an array"],
    ["an object without fields", "{}", "expected DXCC to be a number from 0 to 1000, found nothing"],
    ["NaN", '{"DXCC": NaN}', "expected JSON, found invalid"],
  ])("is an AnswerError: %s", async (_, body, message) => {
    server.answers = [sends(body)];
    const failure = await failureOf(logApiOf(server).exact("G7VJR", AT));
    expect(failure).toBeInstanceOf(AnswerError);
    expect(failure).toMatchObject({
      code: "io/unreadable-answer",
      message: expect.stringContaining(message),
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["DXCC", "England", "a number from 0 to 1000, found another text"],
    ["DXCC", 223.5, "a whole number, found 223.5"],
    ["DXCC", -1, "a number from 0 to 1000, found -1"],
    ["DXCC", 1001, "a number from 0 to 1000, found 1001"],
    ["DXCC", true, "a number from 0 to 1000, found true"],
    ["Name", 5, "a name, found 5"],
    ["Name", " ", "a name, found another text"],
    ["Lat", "NaN", "a number from -90 to 90, found another text"],
    ["Lat", "", "a number from -90 to 90, found another text"],
    ["Lat", "90.01", "a number from -90 to 90, found another text"],
    ["Lat", null, "a number from -90 to 90, found null"],
    ["Lon", "1e2", "a number from -180 to 180, found another text"],
    ["Lon", [0], "a number from -180 to 180, found an array"],
    ["CQZ", 41, "a number from 0 to 40, found 41"],
    ["CQZ", {}, "a number from 0 to 40, found an object"],
    ["Continent", "XX", "a continent, found another text"],
    ["Continent", ["EU"], "a continent, found an array"],
    ["Blocked", "no", "true or false, found another text"],
  ])("is an AnswerError: %s of %j", async (key, value, expected) => {
    server.answers = [tells({ ...ENGLAND, [key]: value })];
    const failure = await failureOf(logApiOf(server).exact("G7VJR", AT));
    expect(failure).toMatchObject({
      code: "io/unreadable-answer",
      message: `${new URL("/dxcc", server.url).href}: expected ${key} to be ${expected}`,
    });
  });

  it("is taken where numbers are texts, or texts numbers", async () => {
    server.answers = [tells({ ...ENGLAND, DXCC: "223", Lat: 51.5, CQZ: "14" })];
    expect(await logApiOf(server).exact("G7VJR", AT)).toMatchObject({ adif: 223, latitude: 51.5, cqz: 14 });
  });
});

describe("the key of the log service", () => {
  it.each([undefined, "", "  \n", 5, null])(
    "is missing where it is %j, before anything is asked",
    async (apikey) => {
      const api = logApiOf(server, { apikey: apikey as string });
      const failure = await failureOf(api.exact("G7VJR", AT));
      expect(failure).toBeInstanceOf(APIKeyMissingError);
      expect(failure).toMatchObject({ code: "api-key/missing", service: "Club Log" });
      expect(await failureOf(api.identifyMany([{ callsign: "G7VJR", at: AT }]))).toBeInstanceOf(
        APIKeyMissingError,
      );
      expect(server.requests).toHaveLength(0);
    },
  );

  it.each([
    ["HTTP 403", fails(403)],
    ["HTTP 401", fails(401)],
    ["a sentence", sends("Invalid or missing API Key")],
  ])(
    "is refused by %s, and not sent again soon, because the service locks out clients that do",
    async (_, answer) => {
      server.answers = [answer, tells(ENGLAND)];
      const clock = manualClock();
      const api = logApiOf(server, { clock });
      const failure = await failureOf(api.exact("G7VJR", AT));
      expect(failure).toBeInstanceOf(APIKeyMissingError);
      await clock.advance(9 * 60_000);
      expect(await failureOf(api.exact("MD0CCE", AT))).toMatchObject({ code: "api-key/missing" });
      expect(server.requests).toHaveLength(1);
      await clock.advance(2 * 60_000);
      expect(await api.exact("G7VJR", AT)).toMatchObject({ adif: 223 });
    },
  );

  it.each([
    ["an error page that repeats the address", () => [echoes(500)]],
    ["a page that repeats the address", () => [echoes(200)]],
    ["JSON around the address", () => [sends(`{"DXCC": "${APIKEY}"}`)]],
    ["half JSON around the address", () => [sends(`{"error": "${APIKEY}`)]],
    ["a refusal", () => [fails(403)]],
    ["a redirect elsewhere", () => [redirectsTo(`http://127.0.0.2:9/?api=${APIKEY}`)]],
    ["a redirect to nowhere", () => [redirectsTo(`http://[${APIKEY}`)]],
    ["a broken connection", () => [(request) => request.socket.destroy()]],
    ["silence", () => [() => undefined]],
    ["a long wait", () => [waits("7")]],
  ] as [string, () => FileServer["answers"]][])(
    "is in no message, cause or warning: %s",
    async (_, answers) => {
      const warnings: string[] = [];
      server.answers = answers();
      let time = 0;
      const clock = { now: () => time, sleep: async (milliseconds: number) => void (time += milliseconds) };
      const api = logApiOf(server, { timeoutMs: 100, clock, warn: (message) => warnings.push(message) });
      const failure = await failureOf(api.exact("G7VJR", AT));
      const batchFailure = await failureOf(api.identifyMany([{ callsign: "G7VJR", at: AT }]));
      const shown = inspect([failure, batchFailure, warnings, api], { depth: 20, showHidden: true });
      expect(shown).toContain("Club Log");
      expect(shown).not.toContain(APIKEY.slice(0, 8));
    },
  );

  it("is never sent to an address that can't be one, nor shown with it", () => {
    for (const url of [
      "",
      "clublog.org",
      "ftp://clublog.org/dxcc",
      "http://user:pw@host/dxcc",
      "http://host/?api=x",
    ]) {
      const make = (): unknown => createLogApi({ apikey: APIKEY, url, warn: () => undefined });
      expect(make).toThrow(ValueError);
      expect(make).not.toThrow(/pw|api=/);
      expect(() => createLogApi({ apikey: APIKEY, bulkUrl: url, warn: () => undefined })).toThrow(
        "bulkUrl: ",
      );
    }
  });
});

describe("a log service in trouble", () => {
  it("is asked again after HTTP 5xx", async () => {
    server.answers = [fails(500), fails(503), tells(ENGLAND)];
    expect(await logApiOf(server).exact("G7VJR", AT)).toMatchObject({ adif: 223 });
    expect(server.requests).toHaveLength(3);
  });

  it("is an IOError with the status where that does not help", async () => {
    server.answers = [fails(500)];
    const failure = await failureOf(logApiOf(server).exact("G7VJR", AT));
    expect(failure).toBeInstanceOf(IOError);
    expect(failure).toMatchObject({ status: 500, resource: new URL("/dxcc", server.url).href });
  });

  it("is a TimeoutError without a response", async () => {
    server.answers = [() => undefined];
    const failure = await failureOf(logApiOf(server, { timeoutMs: 50 }).exact("G7VJR", AT));
    expect(failure).toBeInstanceOf(TimeoutError);
    expect(() => logApiOf(server, { timeoutMs: Number.NaN })).toThrow(ValueError);
  });

  it("gets no request for as long as it asks", async () => {
    server.answers = [waits("30"), tells(ENGLAND)];
    const clock = manualClock();
    const warnings: string[] = [];
    const api = logApiOf(server, { clock, warn: (message) => warnings.push(message) });
    const first = api.exact("G7VJR", AT);
    await expect.poll(() => warnings).toEqual(["Club Log is busy; waiting 30 s"]);
    const second = api.exact("G3TXF", AT);
    await clock.advance(29_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(2);
    expect(await Promise.all([first, second])).toMatchObject([{ adif: 223 }, { adif: 223 }]);
  });
});

function echoes(status: number): FileServer["answers"][number] {
  return (request, response) => response.writeHead(status).end(`<html>Nothing at ${request.url}</html>`);
}

function redirectsTo(location: string): FileServer["answers"][number] {
  return (_, response) => response.writeHead(302, { location }).end();
}

function waits(retryAfter: string): FileServer["answers"][number] {
  return (_, response) => response.writeHead(429, { "retry-after": retryAfter }).end();
}
