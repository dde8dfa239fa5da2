import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";

import { identify } from "../../src/lookup/identify.js";
import type { TableEntry, TableSource } from "../../src/lookup/source.js";
import type { CallsignRecord, EntityRecord } from "../../src/lookup/record.js";
import { createListTable } from "../../src/lookup/table.js";
import { createLogXml, type LogXml } from "../../src/log-xml/log-xml.js";
import { dataPath, goldenRows, hasGolden } from "../golden.js";
import { explain, same, type CallRow } from "../lookup/golden-rules.js";

interface LogXmlRow extends CallRow {
  readonly ts: string;
  readonly lookup_callsign?: CallsignRecord;
  readonly is_invalid?: boolean;
  readonly zone_exception?: number;
}

interface PrefixRow {
  readonly prefix: string;
  readonly ts: string;
  readonly lookup_prefix: { readonly ok?: Partial<CallsignRecord> };
}

interface EntityRow {
  readonly entity: number | string;
  readonly lookup_entity: { readonly ok?: EntityRecord };
}

type AnyRow = LogXmlRow | PrefixRow | EntityRow;

/** What a rule looks at. */
interface Case {
  readonly parts: readonly string[];
  readonly theirs: Partial<CallsignRecord> | undefined;
  readonly ours: CallsignRecord | undefined;
  readonly match: string;
  readonly about: (text: string) => CallsignRecord | undefined;
  readonly table: Indexed;
}

/** A table, the same as the peer sees its periods, and what it has at any time. */
interface Indexed {
  readonly table: LogXml;
  readonly withoutEnds: TableSource;
  readonly prefixes: ReadonlyMap<string, readonly CallsignRecord[]>;
  readonly zones: ReadonlySet<number>;
  /** The records of entries without a period, where the key has others with one. */
  readonly undated: ReadonlyMap<string, CallsignRecord>;
}

const RULES: readonly (readonly [name: string, explains: (row: Case) => boolean])[] = [
  ["slashed-main-prefixes", ({ theirs, match }) => !theirs && /^[A-Z0-9]+\/[A-Z]$/.test(match)],
  [
    "dated-prefixes-before-a-call",
    ({ parts, theirs, match, table }) =>
      parts.length > 1 &&
      (parts[0] ?? "").startsWith(match) &&
      recordsUnder(parts[0] ?? "", table).some((record) => same(record, theirs)),
  ],
  [
    "dated-entries-first",
    ({ theirs, match, table }) => {
      const { beacon: _, ...record } = theirs ?? {};
      return theirs !== undefined && same(table.undated.get(match), record);
    },
  ],
  ["invalid-prefixes", ({ theirs, ours }) => same(theirs, { country: "INVALID" }) && !ours],
  [
    "zone-exceptions-in-a-copy",
    ({ theirs, ours, table }) =>
      same({ ...theirs, cqz: 0 }, { ...ours, cqz: 0 }) && table.zones.has(theirs?.cqz ?? -1),
  ],
];

/** Rules of callsigns at a time, or beside a zone exception. */
const LATER_RULES: typeof RULES = [
  [
    "suffixes-that-are-no-prefix",
    ({ parts, ours, about }) => parts.length === 2 && same(ours, about(parts[0] ?? "")),
  ],
  [
    "call-area-by-digit",
    ({ parts, match, theirs, ours }) =>
      /^[0-9]$/.test(parts[1] ?? "") && match.endsWith(parts[1] ?? "?") && theirs?.cqz === ours?.cqz,
  ],
];

const differences = readFileSync(new URL("../../../../docs/differences.md", import.meta.url), "utf8");

describe("the differences from the peer with log XML", () => {
  const names = [
    "periods-with-both-ends",
    "overlapping-entries-by-number",
    "maritime-prefixes-have-a-record",
  ];
  it.each([...names, ...[...RULES, ...LATER_RULES].map(([name]) => name)])(
    "are documented under their name: %s",
    (name) => {
      expect(differences).toContain(`\n### ${name}\n`);
    },
  );
});

describe.skipIf(!hasGolden).each([
  [
    "clublogxml",
    "clublog-cty-2014-04-12.xml",
    {
      "activity-suffixes": 2,
      "areas-of-us-territories": 7,
      "beacons-by-their-suffix": 2,
      "call-area-by-digit": 18,
      "calls-of-other-forms": 2,
      "dated-entries-first": 22,
      "dated-prefixes-before-a-call": 135,
      "entity equal": 536,
      "entry equal": 8739,
      "entry-of-the-station": 3,
      equal: 2316,
      "kg4-with-one-or-three-letters": 2,
      "mobile-stations": 13,
      "no-call-in-it": 2,
      "overlapping-entries-by-number": 1,
      "periods-with-both-ends": 677,
      "portable-in-a-call-area": 1,
      "prefix equal": 397,
      "prefix-that-looks-like-a-call": 25,
      "prefixes-before-any-call": 2,
      "invalid-prefixes": 4,
      "maritime-prefixes-have-a-record": 1,
      "slashed-main-prefixes": 5,
      "suffixes-that-are-no-prefix": 21,
      "zone-exceptions-in-a-copy": 3,
    },
  ],
  [
    "clublogxml_mini",
    "clublog-mini.xml",
    {
      "dated-prefixes-before-a-call": 21,
      "entity equal": 536,
      "entry equal": 1796,
      equal: 541,
      "mobile-stations": 13,
      "periods-with-both-ends": 15,
      "prefix equal": 26,
      "prefix-that-looks-like-a-call": 2,
      "prefixes-before-any-call": 1,
      "slashed-main-prefixes": 8,
      "suffixes-that-are-no-prefix": 3,
    },
  ],
])("the peer's answers in %s", (golden, file, expected) => {
  let indexed: Indexed;
  beforeAll(() => {
    indexed = index(createLogXml(readFileSync(dataPath(file)), { name: file }));
  });

  it("are ours too, but for the named differences", () => {
    const counts: Record<string, number> = {};
    const faults: AnyRow[] = [];
    for (const row of goldenRows<AnyRow>(golden)) {
      if ("$meta" in row) continue;
      for (const outcome of outcomesOf(row, indexed)) {
        if (outcome === undefined) faults.push(row);
        else counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    }
    expect(faults).toEqual([]);
    expect(counts).toEqual(expected);
  });
});

function outcomesOf(row: AnyRow, indexed: Indexed): (string | undefined)[] {
  const { table } = indexed;
  if ("entity" in row) {
    return [same(table.entity(Number(row.entity)), row.lookup_entity.ok) ? "entity equal" : undefined];
  }
  const at = Date.parse(row.ts);
  if ("prefix" in row) {
    const ours = table.prefix(row.prefix, at);
    const theirs = row.lookup_prefix.ok;
    if (same(ours, theirs)) return ["prefix equal"];
    if (theirs && same(indexed.undated.get(row.prefix), theirs)) return ["dated-entries-first"];
    return [
      ours?.adif === 999 && theirs?.country === ours.country ? "maritime-prefixes-have-a-record" : undefined,
    ];
  }
  return [
    explainList(row, indexed, (source) => source.exact(row.call, at), row.lookup_callsign),
    explainList(row, indexed, (source) => source.isInvalidOperation?.(row.call, at), row.is_invalid ?? false),
    explainList(row, indexed, (source) => source.zoneException?.(row.call, at), row.zone_exception),
    explainCall(row, indexed),
  ];
}

/** The outcome of a question for an entry of exactly this call. */
function explainList(
  { call, ts }: LogXmlRow,
  { table, withoutEnds }: Indexed,
  ask: (source: TableSource) => unknown,
  theirs: unknown,
): string | undefined {
  if (same(ask(table), theirs)) return "entry equal";
  if (same(ask(withoutEnds), theirs)) return "periods-with-both-ends";
  const { calls, zoneExceptions = [] } = table.content();
  const at = Date.parse(ts);
  const others = [...calls, ...zoneExceptions].filter(
    ({ key, start = -Infinity, end = Infinity }) => key === call && start <= at && at <= end,
  );
  return others.some(({ value }) => same(value, theirs)) ? "overlapping-entries-by-number" : undefined;
}

function explainCall(row: LogXmlRow, indexed: Indexed): string | undefined {
  const at = new Date(row.ts);
  const { table, withoutEnds } = indexed;
  if (explain(row, table, at) === "equal") return "equal";
  if (explain(row, withoutEnds, at) === "equal") return "periods-with-both-ends";
  const outcome = explainBy(row, indexed, table);
  if (outcome !== undefined) return outcome;
  return explainBy(row, indexed, withoutEnds) === undefined ? undefined : "periods-with-both-ends";
}

function explainBy(row: LogXmlRow, indexed: Indexed, table: TableSource): string | undefined {
  const at = new Date(row.ts);
  const answer = identify(row.call, { table, at });
  const about = (text: string): CallsignRecord | undefined => {
    const found = identify(text, { table, at });
    return found.kind === "identified" ? found.record : undefined;
  };
  const facts = {
    parts: row.call.split("/"),
    theirs: row.all,
    ours: about(row.call),
    match: answer.kind === "identified" ? answer.match : "",
    about,
    table: indexed,
  };
  const nameIn = (rules: typeof RULES) => rules.find(([, explains]) => explains(facts))?.[0];
  return nameIn(RULES) ?? explain(row, table, at) ?? nameIn(LATER_RULES);
}

function index(table: LogXml): Indexed {
  const { prefixes: entries, zoneExceptions = [] } = table.content();
  const prefixes = [...entries];
  const byPrefix = new Map<string, CallsignRecord[]>();
  for (const { key, value } of prefixes) byPrefix.set(key, [...(byPrefix.get(key) ?? []), value]);
  return {
    table,
    withoutEnds: cutEnds(table),
    prefixes: byPrefix,
    zones: new Set(Array.from(zoneExceptions, ({ value }) => value)),
    undated: new Map(
      prefixes
        .filter(
          ({ key, start, end }) =>
            start === undefined && end === undefined && (byPrefix.get(key)?.length ?? 0) > 1,
        )
        .map(({ key, value }) => [key, value]),
    ),
  };
}

/** All records that prefixes of a text have at any time. */
function recordsUnder(text: string, { prefixes }: Indexed): CallsignRecord[] {
  return Array.from(text, (_, place) => prefixes.get(text.slice(0, place + 1)) ?? []).flat();
}

/** The table without the first and last second of each period, as the peer has it. */
function cutEnds(table: LogXml): TableSource {
  const { calls, prefixes, entities, invalidOperations = [], zoneExceptions = [] } = table.content();
  const builder = createListTable({
    entities: new Map(Array.from(entities, (entity) => [entity.adif, entity])),
  });
  const cut = <Value>({ value, id, start, end }: TableEntry<Value>) => ({
    value,
    id,
    start: start === undefined ? undefined : start + 1000,
    end: end === undefined ? undefined : end - 1000,
  });
  for (const entry of calls) builder.addExact(entry.key, cut(entry));
  for (const entry of prefixes) builder.addPrefix(entry.key, cut(entry));
  for (const entry of invalidOperations) builder.addInvalidOperation(entry.key, cut(entry));
  for (const entry of zoneExceptions) builder.addZoneException(entry.key, cut(entry));
  return { ...builder.table, name: "without ends", date: undefined };
}
