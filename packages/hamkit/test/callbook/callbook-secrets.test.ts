/** Passwords and session keys must not get into logs, and logs have messages, warnings and inspected errors. */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isHamkitError } from "../../src/errors.js";
import { LookupLib, type LookupLibOptions } from "../../src/lookuplib.js";
import { createCallbook } from "../../src/callbook/callbook.js";
import { PASSWORD, startCallbookServer, USERNAME, type CallbookServer } from "../fixtures/callbook-server.js";
import { startFileServer } from "../fixtures/file-server.js";

const KEY = "0123456789abcdef-session-1";
const PASSWORDS = [PASSWORD, encodeURIComponent(PASSWORD), "hunter2"];
const SECRETS = [...PASSWORDS, "0123456789abcdef", "session-1"];

let server: CallbookServer;
let warnings: string[];
beforeEach(async () => {
  warnings = [];
  server = await startCallbookServer();
});
afterEach(() => server.close());

const ECHO = `${PASSWORD} ${encodeURIComponent(PASSWORD)} ${KEY}`;
const ESCAPED = ECHO.replaceAll("&", "&amp;");

type Override = NonNullable<CallbookServer["override"]>;

/** Servers that repeat what they were asked with. */
const FAILURES: readonly (readonly [name: string, override: Override])[] = [
  ["an HTTP error", (_, response) => response.writeHead(404, `Not found: ${KEY}`).end(ECHO)],
  ["an error of the server", (_, response) => response.writeHead(500, KEY).end(ECHO)],
  ["no answer", () => undefined],
  ["a broken connection", (request) => request.socket.destroy()],
  [
    "no HTTP",
    ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ${ECHO}\r\n\r\n`),
  ],
  [
    "half an answer",
    (_, response) => {
      response.writeHead(200, { "content-length": "5000" }).write(`<QRZDatabase><Key>${KEY}</Key>`);
      setTimeout(() => response.destroy(), 5);
    },
  ],
  ["a web page", (_, response) => response.end(`<html>You asked for ${ESCAPED}</html>`)],
  ["a page whose element is the key", (_, response) => response.end(`<QRZDatabase><a-${KEY}>`)],
  ["nothing but the key", (_, response) => response.end(ECHO)],
  [
    "an error with the key",
    (_, response) =>
      response.end(`<QRZDatabase><Session><Error>No ${ESCAPED}</Error></Session></QRZDatabase>`),
  ],
  [
    "a refusal with the key",
    (_, response) =>
      response.end(
        `<QRZDatabase><Session><Error>Password ${ESCAPED} incorrect</Error></Session></QRZDatabase>`,
      ),
  ],
  [
    "a message with a new key",
    (_, response) =>
      response.end(
        `<QRZDatabase><Session><Key>hunter2</Key><Message>New: hunter2, old: ${ESCAPED}</Message></Session></QRZDatabase>`,
      ),
  ],
  ["a redirect", (_, response) => response.writeHead(302, { location: `http://localhost/${KEY}` }).end()],
  [
    "a redirect to no address",
    (_, response) => response.writeHead(302, { location: `http://${KEY}:x/` }).end(),
  ],
  ["a redirect in a ring", (request, response) => response.writeHead(307, { location: request.url }).end()],
];

/** A session that is waited for in vain is another one than the test knows, so only where nothing comes is time short. */
function limitsFor(name: string) {
  return { timeoutMs: name === "no answer" ? 50 : 10_000, retryDelayMs: 1 };
}

function everything(failure: unknown): string {
  const texts = [...warnings, inspect(failure, { depth: Infinity, showHidden: true })];
  for (let cause = failure; cause instanceof Error; cause = cause.cause)
    texts.push(cause.message, cause.stack ?? "", JSON.stringify(cause), String(cause));
  return texts.join("\n");
}

/** The secrets that a text tells. */
function secretsIn(text: string, secrets = SECRETS): string[] {
  return secrets.filter((secret) => text.includes(secret));
}

function options(changes: LookupLibOptions<"callbook"> = {}): LookupLibOptions<"callbook"> {
  const logger = { warn: (message: string) => void warnings.push(message) };
  return { lookuptype: "callbook", url: server.base, username: USERNAME, pwd: PASSWORD, logger, ...changes };
}

async function failureOf(work: unknown): Promise<unknown> {
  return Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("neither password nor session key is told", () => {
  it.each(FAILURES)("where a look-up is answered with %s", async (name, override) => {
    server.override = override;
    const source = createCallbook({
      ...options(),
      ...limitsFor(name),
      warn: (message) => warnings.push(message),
    });
    const questions = [source.exact("W1AW", 0), source.entity(291), source.identify("W1AW", 0)];
    for (const failure of await Promise.all(questions.map((answer) => failureOf(answer)))) {
      expect(isHamkitError(failure)).toBe(true);
      expect(secretsIn(everything(failure))).toEqual([]);
    }
    expect(secretsIn(inspect(source, { depth: Infinity, showHidden: true }))).toEqual([]);
  });

  it.each(FAILURES)("where a login is answered with %s", async (name, override) => {
    const other = await startFileServer();
    other.answers = [(request, response) => override(request, response, KEY)];
    try {
      const source = createCallbook({
        ...options({ url: new URL("/xml/", other.url).href }),
        ...limitsFor(name),
        warn: (message) => warnings.push(message),
      });
      const failure = await failureOf(source.exact("W1AW", 0));
      expect(isHamkitError(failure)).toBe(true);
      // Who doesn't log in has no session, so that the key in these answers is none.
      expect(secretsIn(everything(failure), PASSWORDS)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it("where there is no server", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => {
      closed.listen(0, "127.0.0.1", resolve);
    });
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => {
      closed.close(resolve);
    });
    for (const host of ["127.0.0.1", "localhost", "hamkit.invalid"]) {
      const lookup = new LookupLib(options({ url: `http://${host}:${port}/xml/`, timeoutMs: 500 }));
      expect(secretsIn(everything(await failureOf(lookup.lookupCallsign("W1AW"))))).toEqual([]);
    }
  });

  it("where the account is refused", async () => {
    const lookup = new LookupLib(options({ pwd: "hunter2" }));
    expect(secretsIn(everything(await failureOf(lookup.lookupCallsign("W1AW"))))).toEqual([]);
    expect(secretsIn(inspect(lookup, { depth: Infinity, showHidden: true }))).toEqual([]);
    expect(secretsIn(JSON.stringify(lookup))).toEqual([]);
  });

  it("where an option can't be used", async () => {
    for (const change of [
      { username: "" },
      { url: "http://me:hunter2@example.org/" },
      { apiv: "?" },
      { pwd: ["hunter2"] as unknown as string },
    ])
      expect(secretsIn(everything(await failureOf(new LookupLib(options(change)).ready())))).toEqual([]);
  });
});
