import { readCountryData } from "@hamkit/country-data";
import { beforeAll, describe, expect, it } from "vitest";

import { identify } from "../../src/lookup/identify.js";
import type { TableSource } from "../../src/lookup/source.js";
import { loadEmbeddedCountryFile } from "../../src/country-file/country-file.js";

/** The country file lists where calls with an area digit really were: what the rules would have said without that. */
describe("the rules for call areas, beside the calls that the country file lists one by one", () => {
  let table: TableSource;
  let rulesAlone: TableSource;
  beforeAll(async () => {
    table = await loadEmbeddedCountryFile();
    rulesAlone = { ...table, exact: () => undefined };
  });

  /** How many listed calls of a form there are, and of how many the rules name the listed entity. */
  function hits(form: RegExp): { listed: number; right: number } {
    const calls = readCountryData().groups.flatMap(([, , , , all]) =>
      all.split(" ").filter((call) => form.test(call)),
    );
    const entityOf = (call: string, source: TableSource): unknown => {
      const answer = identify(call, { table: source });
      return answer.kind === "identified" ? answer.record.adif : answer.kind;
    };
    return {
      listed: calls.length,
      right: calls.filter((call) => entityOf(call, rulesAlone) === entityOf(call, table)).length,
    };
  }

  it("put calls of US territories with a digit on the mainland", () => {
    const { listed, right } = hits(/^[AKNW][HLP][0-9][A-Z]+\/[0-9]$/);
    expect(listed).toBeGreaterThan(200);
    expect(right / listed).toBeGreaterThan(0.98);
  });

  it("are right for nine of ten others, though the file lists mostly calls that rules get wrong", () => {
    const { listed, right } = hits(/^(?![AKNW][HLP])[0-9]?[A-Z]{1,2}[0-9]+[A-Z]+\/[0-9]$/);
    expect(listed).toBeGreaterThan(2000);
    expect(right / listed).toBeGreaterThan(0.9);
  });
});
