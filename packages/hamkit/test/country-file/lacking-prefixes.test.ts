/** Prefixes that country files lack. */
import { expect, it } from "vitest";

import { createCountryFile } from "../../src/country-file/country-file.js";
import { identify } from "../../src/lookup/identify.js";

// By the prefixes of a log service: 1S is Spratly (247), GZ and MZ are Scotland (279), ZM9 the subantarctic islands of New Zealand (16).
it("identifies prefixes that country files lack by another one of their entity", async () => {
  const rows = [
    "1S,Spratly Islands,247,AS,26,50,9.88,-114.23,-8.0,9M0;",
    "G,England,223,EU,14,27,52.77,1.47,0.0,G M;",
    "GM,Scotland,279,EU,14,27,56.82,4.18,0.0,GM MM;",
    "ZL9,N.Z. Subantarctic Is.,16,OC,32,60,-51.62,-167.62,-12.0,ZL9;",
  ];
  const adifOf = async (lines: readonly string[]) => {
    const table = await createCountryFile(lines.join("\n"));
    return ["1S1A", "GZ3ABC", "MZ0ABC", "ZM9ABC"].map((call) => {
      const found = identify(call, { table });
      return found.kind === "identified" ? found.record.adif : found.kind;
    });
  };
  expect(await adifOf(rows)).toEqual([247, 279, 279, 16]);
  expect(await adifOf(rows.slice(1, 2))).toEqual(["unknown", 223, 223, "unknown"]);
  const own = "GM/s,Shetland Islands,279,EU,14,27,60.5,1.5,0.0,GZ;";
  const table = await createCountryFile([...rows, own].join("\n"));
  expect(identify("GZ3ABC", { table })).toMatchObject({ record: { country: "Shetland Islands" } });
});
