import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";

import { describe, expect, it } from "vitest";

import { Callinfo } from "../../src/callinfo.js";
import { LookupLib } from "../../src/lookuplib.js";
import { startFileServer } from "../fixtures/file-server.js";
import { goldenRows, hasGolden } from "../golden.js";
import { explain, RULE_NAMES, type OnlineRow, type Outcome } from "./callbook-golden-rules.js";

const differences = readFileSync(new URL("../../../../docs/differences.md", import.meta.url), "utf8");

describe("the differences from the peer about callbooks", () => {
  it.each(RULE_NAMES)("are documented under their name: %s", (name) => {
    expect(differences).toContain(`\n### ${name}\n`);
  });
});

describe.skipIf(!hasGolden)("the peer's answers from a callbook", () => {
  it("are ours too, and so are the addresses asked, but for the named differences", async () => {
    const rows = goldenRows<OnlineRow>("online").filter((row) => row.case.startsWith("qrz"));
    const counts: Record<string, number> = {};
    const faults: unknown[] = [];
    for (const row of rows) {
      const outcome = await outcomeOf(row);
      const rules = explain(row, outcome);
      if (rules === undefined) faults.push({ case: row.case, ...outcome });
      for (const rule of rules ?? []) counts[rule] = (counts[rule] ?? 0) + 1;
    }
    expect(faults).toEqual([]);
    expect(rows).toHaveLength(32);
    expect(counts).toEqual({
      "another-try-after-server-errors": 1,
      "callbook-errors-of-their-own-kind": 7,
      "empty-values-are-absent": 2,
      "entities-by-number": 2,
      equal: 11,
      "every-field-of-the-callbook": 4,
      "fips-keeps-its-zero": 4,
      "login-with-the-first-question": 1,
      "odd-values-are-kept": 1,
      "serial-numbers": 1,
      "sessions-are-renewed-for-entities-too": 1,
      "time-zones-with-minutes": 1,
      "yes-is-yes": 4,
    });
  });
});

/** What we make of a row's replies, from a server that gives them in their order. */
async function outcomeOf(row: OnlineRow): Promise<Outcome> {
  const server = await startFileServer();
  const beforehand = row.case.startsWith("qrz login") ? [] : [LOGIN];
  const afterwards = AFTERWARDS[row.case] ?? [];
  server.answers = [
    ...beforehand,
    ...row.replies.map((text, index) => reply(text, row.http[index])),
    ...afterwards,
  ];
  const warnings: string[] = [];
  const lookup = new LookupLib({
    lookuptype: "callbook",
    url: new URL("/xml/", server.url).href,
    ...accountOf(row),
    timeoutMs: row.http.includes(null) ? 100 : 10_000,
    logger: { warn: (message) => warnings.push(message) },
  });
  const urls = (): string[] =>
    server.requests.slice(beforehand.length).map(({ url = "" }) => new URL(url, server.url).href);
  try {
    const ok = await ask(lookup, row);
    return { ok, warnings, urls: row.case === "qrz login ok" ? urls().slice(0, 1) : urls() };
  } catch (error) {
    return { error: error as Error, warnings, urls: urls() };
  } finally {
    await server.close();
  }
}

function ask(lookup: LookupLib<"callbook">, { case: name, urls }: OnlineRow): Promise<unknown> {
  const parameters = new URL(urls[0] ?? "").searchParams;
  const callsign = parameters.get("callsign") ?? "XX1XX";
  if (name.startsWith("qrz callinfo")) return new Callinfo(lookup).getAll(callsign);
  const entity = parameters.get("dxcc");
  if (entity === null) return lookup.lookupCallsign(callsign);
  return lookup.lookupEntity((Number(entity) || entity) as number);
}

function accountOf({ urls }: OnlineRow) {
  const login = urls.find((url) => url.includes("username="));
  const parameters = new URL(login ?? "http://x/?username=u&password=p%26w").searchParams;
  return { username: parameters.get("username") ?? "", pwd: parameters.get("password") ?? "" };
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A recorded reply; where there was none, none is given. */
function reply(text: string, status: number | null | undefined): Reply {
  return (_, response) => {
    if (typeof status === "number") response.writeHead(status).end(text);
  };
}

const SESSION = "<Session><Key>2331uf894c4bd29f3923f3bacf02c532d7bd9</Key></Session>";
const LOGIN = reply(`<QRZDatabase>${SESSION}</QRZDatabase>`, 200);

/** Replies to what we ask beyond the peer. */
const AFTERWARDS: Readonly<Record<string, readonly Reply[]>> = {
  "qrz login ok": [
    reply(`<QRZDatabase><Callsign><call>XX1XX</call></Callsign>${SESSION}</QRZDatabase>`, 200),
  ],
  "qrz dxcc invalid key": [
    LOGIN,
    reply(
      `<QRZDatabase><DXCC><dxcc>291</dxcc><name>United States</name></DXCC>${SESSION}</QRZDatabase>`,
      200,
    ),
  ],
};
