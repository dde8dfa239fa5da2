import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseAdif, readAdif, type AdifRecord } from "../../src/adif.js";
import { countAwards, createAwardCounter } from "../../src/awards.js";
import { ArgumentTypeError, ValueError } from "../../src/errors.js";
import { counter, qso, rulesOf, unitsOf } from "./contacts.js";

describe("the own station", () => {
  const records = [
    qso({ MY_DXCC: "281", STATION_CALLSIGN: "EA1ABC", MY_GRIDSQUARE: "JN11" }),
    qso({ DXCC: "223", MY_DXCC: "230", STATION_CALLSIGN: "DL1ABC", MY_GRIDSQUARE: "JO62QM" }),
    qso({ DXCC: "227" }),
  ];

  it("is chosen by entity, call or circle; contacts without the field are taken for its own", () => {
    expect(unitsOf("dxcc.mixed.current", records, { own: { entity: 281 } })).toEqual([227, 230]);
    expect(unitsOf("dxcc.mixed.current", records, { own: { calls: ["dl1abc"] } })).toEqual([223, 227]);
    const within = { locator: "JO62", km: 200 };
    expect(unitsOf("dxcc.mixed.current", records, { own: { within } })).toEqual([223, 227]);
    expect(counter(records, { own: { within } }).ignored).toBe(1);
  });

  it("is reported if it was in several entities", () => {
    expect(rulesOf(records)).toEqual({ "own-entity-conflict": 1 });
    expect(rulesOf(records, { own: { entity: 230 } })).toEqual({});
  });

  it("needs a distance", () => {
    expect(() => createAwardCounter({ own: { within: { locator: "JO62", km: 0 } } })).toThrow(ValueError);
    for (const own of [{ calls: "DL1ABC" }, { calls: [5] }, { entity: "281" }])
      expect(() => createAwardCounter({ own: own as never })).toThrow(ArgumentTypeError);
    expect(() => createAwardCounter({ zonesAt: {} as never })).toThrow(
      "zonesAt: an object is not a function",
    );
  });
});

describe("a counter", () => {
  it("counts a stream as it counts records", async () => {
    const bytes = readFileSync(new URL("log-a.adi", import.meta.url));
    const awards = createAwardCounter();
    const pieces = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, index) =>
      bytes.subarray(index * 100, index * 100 + 100),
    );
    for await (const { record } of readAdif(pieces)) awards.add(record);
    expect(awards.counts()).toEqual(countAwards(parseAdif(bytes).records));
    expect(awards.contacts).toBe(42);
  });

  it("rejects what is no record, and keys that no award has", () => {
    expect(() => countAwards([null as unknown as AdifRecord])).toThrow(ArgumentTypeError);
    expect(() => countAwards(null as unknown as AdifRecord[])).toThrow(ArgumentTypeError);
    expect(() => counter([]).count("waz.mixde")).toThrow('key: "waz.mixde" is not one of waz.mixed, ');
    expect(() => counter([]).count("wax.mixed")).toThrow('key: "wax.mixed" is not a count such as was.mixed');
    expect(() => counter([]).needed("__proto__")).toThrow(ValueError);
    expect(() => counter([]).count(5 as never)).toThrow("key: 5 is not a count such as was.mixed");
  });

  it("reports dates and bands that are missing", () => {
    const { QSO_DATE: _date, ...record } = qso();
    expect(unitsOf("dxcc.mixed.current", [record])).toEqual([]);
    const wrong = ["20241301", "20230229", "20240431", "20240100"].map((date) => qso({ QSO_DATE: date }));
    expect(rulesOf([record, ...wrong])).toEqual({ "date-missing": 5 });
    expect(unitsOf("dxcc.mixed.current", [qso({ QSO_DATE: "20240229" })])).toEqual([230]);
  });

  it("survives names of object members as values, and bounds hostile values", () => {
    const record = qso({
      DXCC: "__proto__",
      BAND: "constructor",
      MODE: "__proto__",
      STATE: "toString",
      REGION: "__proto__",
      PFX: "__proto__",
    });
    expect(unitsOf("dxcc.mixed.current", [record])).toEqual([]);
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => `US-${1000 + index}`).join(",");
    expect(countAwards([qso({ POTA_REF: list(9000) })])["pota.hunter"]).toMatchObject({ parks: 20 });
    expect(unitsOf("vucc.2m", [qso({ BAND: "2m", VUCC_GRIDS: "JO62,".repeat(100_000) })])).toEqual(["JO62"]);
    const grids = Array.from({ length: 1000 }, (_, index) =>
      qso({ CALL: "X".repeat(1000) + index, BAND: "x".repeat(1000), TX_PWR: "1e999" }),
    );
    expect(countAwards(grids)["dxcc.mixed.current"]).toMatchObject({ worked: 1 });
  });
});
