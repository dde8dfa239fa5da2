/** The answers of @ham2k/lib-callsigns about the calls of a contest list. */
import { readFileSync } from "node:fs";

import { parseCallsign } from "@ham2k/lib-callsigns";
import { annotateFromCountryFile, useBuiltinCountryFile } from "@ham2k/lib-country-files";
import { describe, expect, it } from "vitest";

import { loadEmbeddedCountryFile } from "../../src/country-file/country-file.js";
import { identify } from "../../src/lookup/identify.js";
import { dataPath, hasGolden } from "../golden.js";

/** Calls with another entity. docs/differences.md says who is right. */
const OTHER_ENTITY =
  "9A/UF0B AA5TL/OR EA6/K9VV EW/R1AT I/DL6SP/MM IT9JCB/PP1 JL1WFD/JD1 JL3VUL/P3 KG5EVS/DV5 KH6ND/N7Z KH7X/NZ " +
  "N1RO/C6A N3XQX/AM RM9M/6 UA1OMX/2 UA3TT/2 UA9QCP/3/P YS1/KH7Y";

interface Ham2kAnswer {
  readonly dxccCode?: number;
  readonly cqZone?: number;
  readonly ituZone?: number;
}

describe.skipIf(!hasGolden)("the answers of @ham2k/lib-callsigns", () => {
  it("are ours too for a contest list, but for the documented differences", async () => {
    useBuiltinCountryFile();
    const table = await loadEmbeddedCountryFile();
    const at = new Date("2026-06-15T00:00:00Z");
    const calls = readFileSync(dataPath("MASTER.SCP"), "utf8").split(/\r?\n/).filter(isCall);
    const otherEntity: string[] = [];
    const counts: Record<string, number> = {};
    for (const call of calls) {
      const answer = identify(call, { table, at });
      const ours = answer.kind === "identified" ? answer.record : undefined;
      const theirs = annotateFromCountryFile(parseCallsign(call)) as Ham2kAnswer;
      const isSame = ours?.cqz === theirs.cqZone && ours?.ituz === theirs.ituZone;
      if (ours?.adif !== theirs.dxccCode) otherEntity.push(call);
      else {
        const outcome = isSame ? "equal" : zoneRule(call);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    }
    expect(otherEntity.toSorted().join(" ")).toBe(OTHER_ENTITY);
    expect(counts).toEqual({
      equal: 85_290,
      "digit of another area": 138,
      "license class": 3,
      "African Italy": 7,
    });
  });
});

function isCall(line: string): boolean {
  return line !== "" && !line.startsWith("#");
}

/** Why zones differ, by the form of the call. */
function zoneRule(call: string): string {
  if (/\/[0-9](?:\/|$)|[KNW]4$/.test(call)) return "digit of another area";
  if (call.endsWith("/AG")) return "license class";
  return /I[GH]9/.test(call) ? "African Italy" : `unexplained: ${call}`;
}
