import type { IncomingMessage, ServerResponse } from "node:http";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AnswerError, IOError, LoginError, TimeoutError, ValueError } from "../../src/errors.js";
import { createCallbook, type CallbookOptions } from "../../src/callbook/callbook.js";
import { PASSWORD, startCallbookServer, USERNAME, type CallbookServer } from "../fixtures/callbook-server.js";

const NOW = Date.UTC(2025, 0, 1);

let server: CallbookServer;
let warnings: string[];
beforeEach(async () => {
  warnings = [];
  server = await startCallbookServer();
  server.entries.set("XX1XX", "<call>XX1XX</call><dxcc>291</dxcc>");
  server.entries.set("291", "<dxcc>291</dxcc><name>United States</name>");
});
afterEach(() => server.close());

function callbook(options: Partial<CallbookOptions> = {}) {
  return createCallbook({
    url: server.base,
    username: USERNAME,
    pwd: PASSWORD,
    warn: (message) => warnings.push(message),
    retryDelayMs: 1,
    ...options,
  });
}

/** Answers in the place of an entry. */
function answers(body: string, status = 200) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status).end(body);
  };
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure: unknown = await work.then(
    (value) => new Error(`It gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  return failure as Error;
}

describe("a callbook's session", () => {
  it("is opened by the first look-up, and kept", async () => {
    const source = callbook();
    expect(server.requests).toHaveLength(0);
    await source.exact("XX1XX", NOW);
    await source.exact("XX1XX", NOW);
    await source.entity(291);
    expect(server.queries()).toEqual([
      { username: USERNAME, password: PASSWORD, agent: "hamkit" },
      { s: "0123456789abcdef-session-1", callsign: "XX1XX" },
      { s: "0123456789abcdef-session-1", callsign: "XX1XX" },
      { s: "0123456789abcdef-session-1", dxcc: "291" },
    ]);
  });

  it("is opened once for fifty look-ups at the same time", async () => {
    const source = callbook();
    const calls = Array.from({ length: 50 }, (_, index) => `XX${index}XX`);
    for (const call of calls) server.entries.set(call, `<call>${call}</call>`);
    const records = await Promise.all(calls.map((call) => source.exact(call, NOW)));
    expect(records.map((record) => record?.callsign)).toEqual(calls);
    expect(server.logins()).toBe(1);
  });

  it.each(["Session Timeout", "Invalid session key"])(
    "is renewed once where the service says %s",
    async (words) => {
      server.sessionOver = words;
      const source = callbook();
      await source.exact("XX1XX", NOW);
      server.endSessions();
      expect(await source.exact("XX1XX", NOW)).toEqual({ callsign: "XX1XX", adif: 291 });
      server.endSessions();
      expect(await source.entity(291)).toEqual({ adif: 291, country: "United States" });
      expect(server.logins()).toBe(3);
    },
  );

  it("is renewed once for all concurrent requests with the expired key", async () => {
    const source = callbook();
    await source.exact("XX1XX", NOW);
    server.endSessions();
    server.delayMs = 5;
    const calls = Array.from({ length: 20 }, (_, index) => `XX${index}XX`);
    await Promise.all([...calls.map((call) => source.exact(call, NOW)), source.entity(291)]);
    expect(server.logins()).toBe(2);
  });

  it("is not renewed again and again: a second failure is an error", async () => {
    const source = callbook();
    server.override = answers(
      "<QRZDatabase><Session><Error>Invalid session key</Error></Session></QRZDatabase>",
    );
    const failure = await failureOf(source.exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(IOError);
    expect(failure.message).toBe("QRZ: the service reported a new session as expired");
    expect(server.logins()).toBe(2);
    server.override = undefined;
    expect(await source.exact("XX1XX", NOW)).toBeDefined();
  });

  it("is tried again by the next look-up where the login failed for another reason than the account", async () => {
    const other = await startCallbookServer();
    const { base } = other;
    await other.close();
    const source = callbook({ url: base });
    expect(await failureOf(source.exact("XX1XX", NOW))).toBeInstanceOf(IOError);
    expect(await failureOf(source.exact("XX1XX", NOW))).not.toBeInstanceOf(LoginError);
  });
});

describe("a callbook that refuses the account", () => {
  it("is not asked again, so that the account is not locked, and the error is the same", async () => {
    const source = callbook({ pwd: "wrong" });
    const failure = await failureOf(source.exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(LoginError);
    expect(failure).toMatchObject({
      message: 'QRZ: the account is refused: "Username/password incorrect"',
      code: "login/refused",
      service: "QRZ",
      cause: { message: "Username/password incorrect" },
    });
    const later = await Promise.all(Array.from({ length: 10 }, () => failureOf(source.exact("XX1XX", NOW))));
    expect(new Set(later)).toEqual(new Set([failure]));
    expect(await failureOf(source.entity(291))).toBe(failure);
    expect(server.requests).toHaveLength(1);
  });

  it("is asked once by look-ups at the same time", async () => {
    const source = callbook({ pwd: "wrong" });
    const calls = Array.from({ length: 10 }, (_, index) => `XX${index}XX`);
    const failures = await Promise.all(calls.map((call) => failureOf(source.exact(call, NOW))));
    expect(new Set(failures).size).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  it("is asked again by another callbook of the program", async () => {
    await failureOf(callbook({ pwd: "wrong" }).exact("XX1XX", NOW));
    expect(await callbook().exact("XX1XX", NOW)).toBeDefined();
  });

  it("may refuse it later: to some users connections are refused for a day", async () => {
    const source = callbook();
    await source.exact("XX1XX", NOW);
    server.override = answers(
      "<QRZDatabase><Session><Error>Connection refused</Error></Session></QRZDatabase>",
    );
    expect(await failureOf(source.exact("XX1XX", NOW))).toBeInstanceOf(LoginError);
    server.override = undefined;
    expect(await failureOf(source.exact("XX1XX", NOW))).toBeInstanceOf(LoginError);
    expect(server.requests).toHaveLength(3);
  });
});

describe("a callbook that fails", () => {
  it("in time is a TimeoutError", async () => {
    server.override = () => undefined;
    const source = callbook({ timeoutMs: 100 });
    const failure = await failureOf(source.exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(TimeoutError);
    expect(failure).toMatchObject({ message: "QRZ: no data received for 100 ms", cause: expect.any(Error) });
  });

  it.each([
    ["a page of maintenance", "<html>maintenance</html>"],
    ["nothing", ""],
    ["half a document", "<QRZDatabase><Callsign><call>XX1XX</call>"],
    ["a document type", `<!DOCTYPE x [<!ENTITY a "b">]><QRZDatabase><Callsign/></QRZDatabase>`],
    ["a document of another service", "<HamQTH><search><callsign>XX1XX</callsign></search></HamQTH>"],
    ["a document with nothing in it", "<QRZDatabase/>"],
  ])("with %s is an AnswerError", async (_, body) => {
    server.override = answers(body);
    const failure = await failureOf(callbook().exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(AnswerError);
    expect(failure).toMatchObject({
      code: "io/unreadable-answer",
      resource: "QRZ",
      cause: expect.any(Error),
    });
  });

  it("with more than any entry has is an IOError", async () => {
    server.override = answers(
      `<QRZDatabase><Callsign><bio>${"x".repeat(1024 * 1024)}</bio></Callsign></QRZDatabase>`,
    );
    await expect(callbook().exact("XX1XX", NOW)).rejects.toThrow("more than 1048576 bytes");
  });

  it.each([403, 404])("with HTTP %d is an IOError with that status, at once", async (status) => {
    server.override = answers("Sorry", status);
    const failure = await failureOf(callbook().exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(IOError);
    expect(failure).toMatchObject({ status, resource: "QRZ" });
    expect(server.requests).toHaveLength(2);
  });

  it("with HTTP 503 is asked again", async () => {
    let failures = 2;
    server.override = (request, response, key) => {
      if (--failures === 0) server.override = undefined;
      answers(key, 503)(request, response);
    };
    expect(await callbook().exact("XX1XX", NOW)).toBeDefined();
    expect(server.requests).toHaveLength(4);
  });

  it("by another error of its own is an IOError with its words", async () => {
    server.override = answers(
      "<QRZDatabase><Session><Error>Database is down</Error></Session></QRZDatabase>",
    );
    const failure = await failureOf(callbook().exact("XX1XX", NOW));
    expect(failure).toBeInstanceOf(IOError);
    expect(failure.message).toBe('QRZ: the service reported the error "Database is down"');
    expect(failure.cause).toMatchObject({ message: "Database is down" });
  });
});

describe("a callbook's answers", () => {
  it("are nothing for an entry that does not exist", async () => {
    expect(await callbook().exact("XX9XX", NOW)).toBeUndefined();
    expect(await callbook().entity(9999)).toBeUndefined();
  });

  it("are nothing, without a request, for an invalid entity code", async () => {
    for (const adif of [0, -1, 1.5, Number.NaN, Infinity])
      expect(await callbook().entity(adif)).toBeUndefined();
    expect(server.requests).toHaveLength(0);
  });

  it("keep unexpected values as text, with a warning", async () => {
    server.entries.set(
      "XX1XX",
      "<call>XX1XX</call><AreaCode>602/480</AreaCode><u_views>1,234</u_views><born></born><lat>1.5</lat>",
    );
    expect(await callbook().exact("XX1XX", NOW)).toEqual({
      callsign: "XX1XX",
      areacode: "602/480",
      u_views: "1,234",
      latitude: 1.5,
    });
    expect(warnings).toEqual([
      'QRZ, XX1XX: kept as text: u_views "1,234", which is not a number; areacode "602/480", which is not a number',
    ]);
  });

  it("leave out elements that are not documented", async () => {
    server.entries.set("XX1XX", "<call>XX1XX</call><shoe_size>44</shoe_size>");
    expect(await callbook().exact("XX1XX", NOW)).toEqual({ callsign: "XX1XX" });
    expect(warnings).toEqual([]);
  });

  it("pass on once what the service wants its users to know", async () => {
    server.override = answers(
      "<QRZDatabase><Callsign><call>XX1XX</call></Callsign><Session><Message>A subscription is required</Message></Session></QRZDatabase>",
    );
    const source = callbook();
    await source.exact("XX1XX", NOW);
    await source.exact("XX2XX", NOW);
    expect(warnings).toEqual(['QRZ reports: "A subscription is required"']);
  });

  it("come from one request for concurrent lookups of a callsign, and are shared by no two callers", async () => {
    server.entries.set("XX1XX", "<aliases>A1A,B1B</aliases><efdate>2000-01-20</efdate>");
    const source = callbook();
    const [one, two] = await Promise.all([source.exact("XX1XX", NOW), source.exact("XX1XX", NOW)]);
    expect(server.requests).toHaveLength(2);
    const { aliases, efdate } = one as { aliases: string[]; efdate: Date };
    aliases.push("C1C");
    efdate.setFullYear(1970);
    expect(two).toEqual({ aliases: ["A1A", "B1B"], efdate: new Date("2000-01-20T00:00:00Z") });
    await source.exact("XX1XX", NOW);
    expect(server.requests).toHaveLength(3);
  });

  it("are asked for by four requests at a time", async () => {
    server.delayMs = 3;
    const source = callbook();
    const calls = Array.from({ length: 30 }, (_, index) => `XX${index}XX`);
    await Promise.all(calls.map((call) => source.exact(call, NOW)));
    expect(server.mostAtOnce()).toBe(4);
  });
});

describe("identifying by a callbook", () => {
  it("looks up the normalized callsign", async () => {
    expect(await callbook().identify(" xx1xx-9 ", NOW)).toEqual({
      kind: "identified",
      record: { callsign: "XX1XX", adif: 291 },
      matchedBy: "callsign",
      match: "XX1XX",
      source: "QRZ",
    });
  });

  it("looks up the station without a suffix that leaves it where it is", async () => {
    const answer = await callbook().identify("XX1XX/QRP", NOW);
    expect(answer).toMatchObject({ kind: "identified", match: "XX1XX" });
    expect(server.queries().slice(1)).toMatchObject([{ callsign: "XX1XX/QRP" }, { callsign: "XX1XX" }]);
  });

  it.each(["HC2/XX1XX", "XX1XX/KH6", "XX1XX/P", "XX1XX/6", "XX1XX/MM"])(
    "does not tell of %s what holds for the owner at home",
    async (callsign) => {
      expect(await callbook().identify(callsign, NOW)).toEqual({ kind: "unknown" });
      expect(server.queries().slice(1)).toMatchObject([{ callsign }]);
    },
  );

  it("takes the entry that a callsign away from home has of its own", async () => {
    server.entries.set("HC2/XX1XX", "<call>HC2/XX1XX</call><dxcc>120</dxcc>");
    expect(await callbook().identify("HC2/XX1XX", NOW)).toMatchObject({ record: { adif: 120 } });
  });

  it("sends no request for a text that cannot be a callsign", async () => {
    for (const text of ["", "💥", "a b", "X".repeat(31)])
      expect(await callbook().identify(text, NOW)).toEqual({ kind: "unknown" });
    expect(server.requests).toHaveLength(0);
    await expect(callbook().identify(5 as unknown as string, NOW)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("the options of a callbook", () => {
  it.each([
    ["username", { username: undefined }, "username: undefined is not the name of an account at QRZ"],
    ["username", { username: " " }, "username: "],
    ["pwd", { pwd: undefined }, "pwd: undefined is not the password of an account at QRZ"],
    ["pwd", { pwd: "" }, "pwd: undefined is not"],
    ["pwd", { pwd: 12345 as unknown as string }, "pwd: undefined is not"],
    ["callbook", { service: "qrz.com" as "qrz" }, "a callbook of this version: qrz, hamqth"],
    ["callbook", { service: "toString" as "qrz" }, "a callbook of this version: qrz, hamqth"],
    ["apiv", { apiv: "../1.3.3" }, "a version such as 1.3.3"],
    ["url", { url: "xmldata.qrz.com" }, "an http: or https: address"],
    ["url", { url: "file:///etc" }, "an http: or https: address"],
    ["url", { url: "https://example.org/?x=1" }, "without parameters"],
    ["url", { url: "https://me:hunter2@example.org/" }, 'url: "an address with a password"'],
  ])("name the one that can't be used: %s of %o", (argument, options, message) => {
    expect(() => callbook(options)).toThrow(ValueError);
    expect(() => callbook(options)).toThrow(message);
    expect(() => callbook(options)).toThrow(expect.objectContaining({ argument }));
  });

  it("set the version of QRZ's interface, and take addresses with and without a slash at the end", async () => {
    await callbook({ url: server.base.replace(/\/$/, ""), apiv: "current" }).exact("XX1XX", NOW);
    await callbook().exact("XX1XX", NOW);
    const paths = server.requests.map(({ url = "" }) => url.split("?")[0]);
    expect(paths).toEqual(["/xml/current/", "/xml/current/", "/xml/1.3.3/", "/xml/1.3.3/"]);
  });
});
