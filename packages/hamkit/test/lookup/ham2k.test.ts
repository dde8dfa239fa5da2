/** The answers of @ham2k/lib-callsigns about the calls of a contest list, and the list of differences in docs/differences.md. */
import { readFileSync } from "node:fs";

import { parseCallsign } from "@ham2k/lib-callsigns";
import { annotateFromCountryFile, useBuiltinCountryFile } from "@ham2k/lib-country-files";
import { describe, expect, it } from "vitest";

import { loadEmbeddedCountryFile } from "../../src/country-file/country-file.js";
import { identify } from "../../src/lookup/identify.js";
import { dataPath, hasGolden } from "../golden.js";

const DOCUMENT = readFileSync(new URL("../../../../docs/differences.md", import.meta.url), "utf8");

/** The listed calls, by the name of the difference. */
const LISTED = new Map(
  Array.from(
    DOCUMENT.matchAll(
      /^(?<name>entity|digit of another area[A-Za-z, ]*|license class|African Italy): (?<calls>.+)$/gm,
    ),
    ({ groups }) => [groups?.["name"] ?? "", (groups?.["calls"] ?? "").split(" ")] as const,
  ),
);

/** CQ zones of the areas of the United States, by digit, in the CQ magazine's list of zones. */
const US_ZONES = [4, 5, 5, 5, 5, 4, 3, 3, 4, 4] as const;

interface Ham2kAnswer {
  readonly dxccCode?: number;
  readonly cqZone?: number;
  readonly ituZone?: number;
}

describe.skipIf(!hasGolden)("the answers of @ham2k/lib-callsigns", () => {
  it("are ours too for a contest list, but for the calls that the document lists", async () => {
    useBuiltinCountryFile();
    const table = await loadEmbeddedCountryFile();
    const at = new Date("2026-06-15T00:00:00Z");
    const calls = readFileSync(dataPath("MASTER.SCP"), "utf8").split(/\r?\n/).filter(isCall);
    const found = new Map(Array.from(LISTED.keys(), (name) => [name, [] as string[]]));
    let equal = 0;
    for (const call of calls) {
      const answer = identify(call, { table, at });
      const ours = answer.kind === "identified" ? answer.record : undefined;
      const theirs = annotateFromCountryFile(parseCallsign(call)) as Ham2kAnswer;
      const isOther = ours?.adif !== theirs.dxccCode;
      if (!isOther && ours?.cqz === theirs.cqZone && ours?.ituz === theirs.ituZone) equal++;
      else found.get(isOther ? "entity" : zoneRule(call, ours?.adif))?.push(call);
    }
    expect(equal).toBe(85_292);
    expect(calls.length - equal).toBe([...LISTED.values()].flat().length);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(LISTED));
  });

  it("have the zones of the call where it is in another area, whose zones ours are", async () => {
    const table = await loadEmbeddedCountryFile();
    const wrong = (LISTED.get("digit of another area, United States") ?? []).filter((call) => {
      const answer = identify(call, { table });
      return answer.kind !== "identified" || answer.record.cqz !== US_ZONES[Number(call.at(-1))];
    });
    expect(wrong).toEqual([]);
  });
});

function isCall(line: string): boolean {
  return line !== "" && !line.startsWith("#");
}

/** Why zones differ, by the form of the call. */
function zoneRule(call: string, adif: number | undefined): string {
  if (/\/[KNW]?[0-9](?:\/|$)/.test(call))
    return adif === 291 ? "digit of another area, United States" : "digit of another area, others";
  if (call.endsWith("/AG")) return "license class";
  return /I[GH]9/.test(call) ? "African Italy" : `unexplained: ${call}`;
}
