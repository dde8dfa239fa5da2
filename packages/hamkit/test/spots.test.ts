import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { decodeSpot, type ClusterLine } from "../src/spots.js";
import * as spots from "../src/spots.js";
import { goldenRows, hasGolden } from "./golden.js";

/** A line, and what the peer made of it when it was recorded. */
interface SpotRow {
  readonly fn: string;
  readonly in: string;
  readonly out: { readonly ok?: Record<string, unknown>; readonly err?: string };
}

/** How many rows each rule of docs/differences.md has a part in. A row may have several. */
const EXPECTED = {
  equal: 10,
  "announcements-and-reports": 3,
  "calls-of-spots-in-upper-case": 1,
  "comments-as-written": 1,
  "comments-beyond-their-column": 1,
  "skimmers-and-long-spotters": 2,
  "time-of-the-line": 6,
};

/** What a difference in one field has to look like for a rule to explain it. */
const RULES: readonly (readonly [
  name: string,
  field: string,
  explains: (theirs: unknown, ours: unknown, line: string) => boolean,
])[] = [
  [
    "time-of-the-line",
    "time",
    (theirs, ours, line) => theirs === "(now)" && line.includes(` ${clock(ours)}`),
  ],
  ["calls-of-spots-in-upper-case", "spotter", isRaised],
  ["calls-of-spots-in-upper-case", "dx", isRaised],
  [
    "comments-beyond-their-column",
    "comment",
    (theirs, ours, line) => String(ours).startsWith(String(theirs)) && line.includes(` ${String(ours)} `),
  ],
  [
    "comments-as-written",
    "comment",
    (theirs, ours, line) => line.includes(` ${String(ours)} `) && wordsOf(ours) === wordsOf(theirs),
  ],
];

function isRaised(theirs: unknown, ours: unknown): boolean {
  return theirs !== ours && String(theirs).toUpperCase() === ours;
}

function clock(time: unknown): string {
  return `${String(time).slice(11, 16).replace(":", "")}Z`;
}

/** Letters, digits and slashes of ASCII, in words: what the peer leaves of a comment. */
function wordsOf(comment: unknown): string {
  return (String(comment).match(/[\w/]+/g) ?? []).join(" ");
}

/** The rules by which our answer differs; a field without a rule comes out as its name and both values. */
function explain({ in: line, out }: SpotRow): string[] {
  const answer = decodeSpot(line);
  if (out.ok === undefined) return [explainError(answer)];
  const ours = comparable(answer);
  const differing = Object.entries(out.ok).filter(([field, theirs]) => theirs !== ours[field]);
  if (differing.length === 0) return ["equal"];
  return differing.map(([field, theirs]) => {
    const rule = RULES.find(([, name, explains]) => name === field && explains(theirs, ours[field], line));
    return rule?.[0] ?? `${field}: ${String(theirs)} / ${String(ours[field])}`;
  });
}

function explainError(answer: ClusterLine): string {
  if (answer.kind === "unknown") return "equal";
  return answer.kind === "spot" ? "skimmers-and-long-spotters" : "announcements-and-reports";
}

/** Our answer under the peer's names, dates as it writes them. */
function comparable(answer: ClusterLine): Record<string, unknown> {
  const time = "time" in answer ? answer.time.toISOString().slice(0, 19) : undefined;
  return { ...answer, time, raw_spot: answer.line };
}

describe("hamkit/spots", () => {
  it("exports what its documentation names", () => {
    expect(Object.keys(spots).sort()).toEqual(["annotateSpot", "decodeSpot", "decodeSpots"]);
  });
});

const differences = readFileSync(new URL("../../../docs/differences.md", import.meta.url), "utf8");

describe("the differences from the peer in cluster lines", () => {
  it.each(Object.keys(EXPECTED).slice(1))("are documented under their name: %s", (name) => {
    expect(differences).toContain(`\n### ${name}\n`);
  });
});

describe("what the peer makes of cluster lines, corrected", () => {
  const now = new Date("2024-03-01T12:30:00Z");

  it("time-of-the-line: a spot has the time that it was made, not when it was decoded", () => {
    const spot = decodeSpot("DX de K1A:          136.0  DL1ABC       lf                             0000Z", {
      now,
    });
    expect(spot).toMatchObject({ time: new Date("2024-03-02T00:00:00Z") });
  });

  it("skimmers-and-long-spotters: -# and the calls of portable spotters are read", () => {
    const skimmer = "DX de W3LPL-#:   14025.0  DL1ABC       CW 20 dB 25 WPM CQ             1200Z";
    const portable = "DX de VE7/DL1ABC/P: 7012.3  DL1ABC     x                              1200Z";
    expect(decodeSpot(skimmer, { now })).toMatchObject({ spotter: "W3LPL", skimmer: true });
    expect(decodeSpot(portable, { now })).toMatchObject({ spotter: "VE7/DL1ABC/P", frequency: 7012.3 });
  });

  it("comments-as-written: quotes, umlauts and angle brackets stay", () => {
    const line = 'DX de dh1tw:     14074.0  dl1abc       <b>x</b> äö "quoted"           1200Z';
    expect(decodeSpot(line, { now })).toMatchObject({ comment: '<b>x</b> äö "quoted"' });
  });

  it("comments-beyond-their-column: a long comment is not cut off", () => {
    const line = "DX de DH1TW:     14074.0  DL1ABC/QRP   long comment that runs over the limit 1200Z";
    expect(decodeSpot(line, { now })).toMatchObject({ comment: "long comment that runs over the limit" });
  });

  it("calls-of-spots-in-upper-case: however they were typed", () => {
    expect(decodeSpot("DX de dh1tw: 14074.0 dl1abc x 1200Z", { now })).toMatchObject({
      spotter: "DH1TW",
      dx: "DL1ABC",
    });
  });

  it("announcements-and-reports: what isn't a spot is told apart, and no frame is an error", () => {
    const kinds = [
      "To ALL de DH1TW: hi",
      "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms",
      "PC23^19-Sep-1997^18^86^4^0^test^DL0XYZ^DB0XYZ^H1^~",
      "PC11^14010.0",
    ].map((line) => decodeSpot(line, { now }).kind);
    expect(kinds).toEqual(["announcement", "wwv", "wwv", "unknown"]);
  });
});

describe.skipIf(!hasGolden)("the peer's recorded answers to cluster lines", () => {
  it("are equal or explained by a rule, in exact numbers", () => {
    const counts: Record<string, number> = {};
    for (const row of goldenRows<SpotRow>("dxcluster"))
      for (const name of new Set(explain(row))) counts[name] = (counts[name] ?? 0) + 1;
    expect(counts).toEqual(EXPECTED);
  });
});
