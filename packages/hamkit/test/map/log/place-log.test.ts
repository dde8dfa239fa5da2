import { describe, expect, it } from "vitest";

import { ArgumentTypeError, LocatorError, ValueError } from "../../../src/errors.js";
import { readLog } from "../../../src/logs.js";
import { loadEmbeddedCountryFile } from "../../../src/lookup.js";
import { placeLog, type PlaceLogOptions } from "../../../src/map.js";

async function placed(qsos: readonly Readonly<Record<string, string>>[], options: PlaceLogOptions = {}) {
  const text = qsos.map(
    (qso) =>
      Object.entries(qso)
        .map(([name, value]) => `<${name}:${value.length}>${value}`)
        .join("") + "<EOR>",
  );
  return placeLog(await readLog(text.join("\n")), options);
}

const table = await loadEmbeddedCountryFile();

describe("placeLog", () => {
  it("has the squares of locators, coordinates and VUCC_GRIDS, each once", async () => {
    const { squares } = await placed([
      { CALL: "W1AW", GRIDSQUARE: "FN31PR" },
      { CALL: "W1AX", GRIDSQUARE: "FN31", QSL_RCVD: "Y" },
      { CALL: "W1AY", LAT: "N048 31.250", LON: "E009 22.500" },
      { CALL: "W1AZ", VUCC_GRIDS: "EN98,FM08,EM97,FM07" },
      { CALL: "W1BA", GRIDSQUARE: "FN" },
      { CALL: "W1BB", GRIDSQUARE: "no" },
      { CALL: "W1BC" },
    ]);
    expect(squares).toEqual([
      { locator: "FN31", confirmed: true },
      { locator: "JN48", confirmed: false },
      { locator: "EN98", confirmed: false },
      { locator: "FM08", confirmed: false },
      { locator: "EM97", confirmed: false },
      { locator: "FM07", confirmed: false },
    ]);
  });

  it.each([
    ["JO30XA,JO40AA", ["JO30", "JO40"]],
    ["jo30xa, jo40", ["JO30", "JO40"]],
    ["EM98XA,FM08AA,EM97XX,FM07AX", ["EM98", "FM08", "EM97", "FM07"]],
  ])("takes VUCC_GRIDS of six characters: %s", async (grids, expected) => {
    const { squares } = await placed([{ CALL: "W1AZ", VUCC_GRIDS: grids, GRIDSQUARE: "JN48" }]);
    expect(squares.map(({ locator }) => locator)).toEqual(expected);
  });

  it.each([
    [{ QSL_RCVD: "Y" }, undefined, true],
    [{ QSL_RCVD: "v" }, undefined, true],
    [{ QSL_RCVD: "R" }, undefined, false],
    [{ QSL_RCVD: "Y", QSL_RCVD_VIA: "e" }, undefined, false],
    [{ QSL_RCVD: "Y", QSL_RCVD_VIA: "B" }, undefined, true],
    [{ LOTW_QSL_RCVD: "Y" }, undefined, true],
    [{ EQSL_QSL_RCVD: "Y" }, undefined, false],
    [{ EQSL_QSL_RCVD: "Y" }, ["eqsl"] as const, true],
    [{ LOTW_QSL_RCVD: "Y" }, ["card"] as const, false],
  ])("counts %j as confirmed by %j: %s", async (fields, confirmedBy, confirmed) => {
    const { squares } = await placed([{ CALL: "W1AW", GRIDSQUARE: "FN31", ...fields }], { confirmedBy });
    expect(squares).toEqual([{ locator: "FN31", confirmed }]);
  });

  it("has the entities of the log, or else of the calls at their time", async () => {
    const { entities } = await placed(
      [
        { CALL: "W1AW" },
        { CALL: "W1AX", LOTW_QSL_RCVD: "Y" },
        { CALL: "DL1ABC", DXCC: "230" },
        { CALL: "DL1ABC", DXCC: "100" },
        { CALL: "DL1ABC/MM", DXCC: "0" },
        { CALL: "DL1ABC/MM" },
        { CALL: "QQ0QQ" },
        {},
      ],
      { table },
    );
    expect(entities.map(({ adif, country, confirmed }) => ({ adif, country, confirmed }))).toEqual([
      { adif: 291, country: "United States", confirmed: true },
      { adif: 230, country: "Fed. Rep. of Germany", confirmed: false },
      { adif: 100, country: "Argentina", confirmed: false },
    ]);
    expect((await placed([{ CALL: "W1AW" }])).entities).toEqual([]);
  });

  it("has a path for each pair of squares, from the own locator, that of the QSO, or the own call", async () => {
    const { paths } = await placed(
      [
        { CALL: "W1AW", GRIDSQUARE: "FN31PR", MY_GRIDSQUARE: "JN48QM" },
        { CALL: "W1AX", GRIDSQUARE: "FN31PQ", MY_GRIDSQUARE: "JN48QM" },
        { CALL: "W1AY", GRIDSQUARE: "FN41", STATION_CALLSIGN: "DH1TW" },
        { CALL: "W1AZ", STATION_CALLSIGN: "DH1TW" },
        { CALL: "W1AZ" },
      ],
      { table },
    );
    expect(paths.map(({ qsos }) => qsos)).toEqual([2, 1, 1]);
    expect(paths[0]?.from).toEqual({ latitude: expect.closeTo(48.5208, 3) as number, longitude: 9.375 });
    expect(paths[1]?.from).toEqual({ latitude: 51, longitude: 10 }); // the country file's place of Germany
    const fixed = await placed([{ CALL: "W1AW", GRIDSQUARE: "FN31", MY_GRIDSQUARE: "JN48" }], {
      locator: "JO31",
    });
    expect(fixed.paths[0]?.from).toEqual({ latitude: 51.5, longitude: 7 });
  });

  it("rejects what is not a log, or not a locator", async () => {
    await expect(placeLog([] as never)).rejects.toThrow(ArgumentTypeError);
    await expect(placeLog({ qsos: [] }, { locator: "ZZ99" })).rejects.toThrow(LocatorError);
    await expect(placeLog({ qsos: [] }, { confirmedBy: ["paper" as "card"] })).rejects.toThrow(ValueError);
    expect(await placeLog({ qsos: [] })).toEqual({ squares: [], entities: [], paths: [] });
  });
});
