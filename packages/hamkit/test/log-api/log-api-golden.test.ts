import { describe, expect, it } from "vitest";

import { Callinfo } from "../../src/callinfo.js";
import { isHamkitError } from "../../src/errors.js";
import { LookupLib } from "../../src/lookuplib.js";
import { startFileServer, type FileServer } from "../fixtures/file-server.js";
import { goldenRows, hasGolden } from "../golden.js";

/** What the service answered to the peer, what the peer asked it, and what it made of the answer. */
interface Row {
  readonly case: string;
  readonly replies: readonly string[];
  readonly http: readonly number[];
  readonly urls: readonly string[];
  readonly out: { readonly ok?: object; readonly err?: string };
}

/** What we make of it. */
interface Outcome {
  readonly row: Row;
  /** Path and query of what we asked. */
  readonly asked: readonly (string | undefined)[];
  readonly ok?: object;
  readonly error?: string;
}

/** The moment of all recorded questions. */
const AT = new Date("2012-03-04T05:06:00Z");

/** Each rule has a section of its name in docs/differences.md, and explains just the answer that it leads to. */
const RULES: readonly (readonly [name: string, explains: (outcome: Outcome) => boolean])[] = [
  [
    "equal",
    ({ row, asked, ok, error }) => isSame(asked, pathsOf(row)) && isSame({ ok, err: error }, outOf(row)),
  ],
  [
    "no-callsign-is-not-asked",
    ({ row, asked, error }) =>
      asked.length === 0 && error === row.out.err && pathsOf(row)[0]?.endsWith("call=%3F%3F") === true,
  ],
  [
    "entities-blocked-by-a-whitelist",
    ({ row, ok }) =>
      row.replies[0]?.includes('"Blocked": true') === true && isSame(ok, { ...row.out.ok, blocked: true }),
  ],
  [
    "service-errors-of-one-kind",
    ({ row, error }) =>
      (error === "IOError" && row.http[0] === 500) ||
      (error === "AnswerError" && ["JSONDecodeError", "TypeError"].includes(row.out.err ?? "")),
  ],
];

describe.skipIf(!hasGolden)("the peer's answers from the log service's API", () => {
  it("are ours too, but for the named differences", async () => {
    const server = await startFileServer();
    const counts: Record<string, number> = {};
    const faults: unknown[] = [];
    const rows = goldenRows<Row>("online").filter((row) => row.case.startsWith("clublog api"));
    for (const row of rows) {
      const outcome = await outcomeOf(row, server);
      const [rule] = RULES.find(([, explains]) => explains(outcome)) ?? [];
      if (rule === undefined) faults.push(outcome);
      else counts[rule] = (counts[rule] ?? 0) + 1;
    }
    await server.close();
    expect(faults).toEqual([]);
    expect(counts).toEqual({
      equal: 4,
      "no-callsign-is-not-asked": 1,
      "entities-blocked-by-a-whitelist": 1,
      "service-errors-of-one-kind": 3,
    });
  });
});

/** What a server that answers as recorded leads us to. */
async function outcomeOf(row: Row, server: FileServer): Promise<Outcome> {
  const asked = new Set<string | undefined>();
  server.answers = [
    (request, response) => {
      // Tries after the first one are the same question.
      asked.add(request.url);
      response.writeHead(row.http[0] ?? 200).end(row.replies[0]);
    },
  ];
  const lookup = new LookupLib({
    lookuptype: "logapi",
    apikey: "KEY",
    url: new URL("/dxcc", server.url).href,
  });
  const call = new URL(row.urls[0] ?? "").searchParams.get("call") ?? "";
  try {
    const ok = row.case.endsWith("callinfo")
      ? await new Callinfo(lookup).getAll(call, AT)
      : await lookup.lookupCallsign(call, AT);
    return { row, asked: [...asked], ok };
  } catch (error) {
    if (!isHamkitError(error)) throw error;
    return { row, asked: [...asked], error: error.name };
  }
}

function pathsOf({ urls }: Row): string[] {
  return urls.map((url) => url.replace("https://cdn.clublog.org", ""));
}

function outOf({ out }: Row): object {
  return { ok: out.ok, err: out.err };
}

/** Equal whatever the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sortKeys) === JSON.stringify(other, sortKeys);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
