import { describe, expect, it } from "vitest";

import {
  AWARD_RULES,
  createAwardCounter,
  needs,
  needsText,
  spotContact,
  type Need,
} from "../../src/awards.js";
import { ArgumentTypeError } from "../../src/errors.js";
import { parseFeedLine, spotOfItem } from "../../src/feeds.js";
import { loadEmbeddedCountryFile } from "../../src/lookup.js";
import { decodeSpot } from "../../src/spots.js";
import { counter, qso, usa } from "./contacts.js";
import { compareWithRecounts } from "./random-logs.js";

const table = await loadEmbeddedCountryFile();
const told = (list: readonly Need[], award: string) =>
  list.filter((need) => need.award === award).map(({ key, unit, state }) => `${key} ${unit} ${state}`);

describe("needs", () => {
  it("equals a recount of the whole log, while the log grows", () => {
    const ids = ["dxcc", "was", "waz", "wae", "vucc", "pota.hunter"];
    expect(() => compareWithRecounts(200, ids)).not.toThrow();
  });

  it("names units that are new, and those that are not confirmed", () => {
    const log = counter([qso({ EQSL_QSL_RCVD: "Y" })], { table });
    // The same again: the eQSL confirms nothing for DXCC, but for WPX.
    const again = needs(log, qso());
    expect(told(again, "dxcc")).toEqual([
      "dxcc.mixed.current 230 unconfirmed",
      "dxcc.mixed.withDeleted 230 unconfirmed",
      "dxcc.cw.current 230 unconfirmed",
      "dxcc.cw.withDeleted 230 unconfirmed",
      "dxcc.band.20m 230 unconfirmed",
      "dxcc.challenge 230 20m unconfirmed",
      "dxcc.fiveBand 230 20m unconfirmed",
    ]);
    expect(told(again, "wpx")).toEqual([]);
    expect(told(needs(log, usa({ STATE: "DC", BAND: "2m", GRIDSQUARE: "FM18" })), "was")).toContain(
      "was.mixed MD new",
    );
    expect(told(needs(log, usa({ BAND: "2m", GRIDSQUARE: "FM18" })), "vucc")).toEqual(["vucc.2m FM18 new"]);
  });

  it("changes with the contact that is added next, and with its confirmation", () => {
    const log = createAwardCounter({ table });
    const contact = { CALL: "W1AW", BAND: "20m", MODE: "CW", QSO_DATE: "20240630", STATE: "CT", DXCC: "291" };
    const states = () => told(needs(log, contact), "was").slice(0, 1);
    expect(states()).toEqual(["was.mixed CT new"]);
    log.add({ ...contact, CALL: "K1ABC" });
    expect(states()).toEqual(["was.mixed CT unconfirmed"]);
    log.add({ ...contact, CALL: "K1ABC", LOTW_QSL_RCVD: "Y" });
    expect(states()).toEqual([]);
  });

  it("answers for a call alone by the counts of all bands and modes", () => {
    const log = counter([usa({ LOTW_QSL_RCVD: "Y" })], { table });
    expect(told(needs(log, { CALL: "DH1TW" }), "dxcc")).toEqual([
      "dxcc.mixed.current 230 new",
      "dxcc.mixed.withDeleted 230 new",
    ]);
    expect(told(needs(log, { CALL: "W1AW" }), "dxcc")).toEqual([]);
  });

  it("is no contact of the log, whatever was asked", () => {
    const log = counter([], { table });
    for (let index = 0; index < 30; index++)
      needs(log, { CALL: `DL${index}ABC`, BAND: "20m", MODE: "CW", DXCC: "999", GRIDSQUARE: "x" });
    expect(log.contacts).toBe(0);
    expect(log.count("dxcc.mixed.current").worked).toBe(0);
    expect(log.contradictions()).toEqual([]);
    expect(() => needs(log, null as never)).toThrow(ArgumentTypeError);
  });

  it("changes for all calls of a unit when one of them is logged", () => {
    const log = counter([], { table });
    const ask = (call: string, mode = "CW") =>
      told(needs(log, { CALL: call, BAND: "20m", MODE: mode }), "waz").map((need) => need.split(" ")[0]);
    const calls = ["JA1ABC", "JA7XYZ", "JR3QQQ"];
    for (const call of calls) expect(ask(call)).toContain("waz.cw");
    log.add(qso({ CALL: "JA2DEF", DXCC: "339", CQZ: "25", BAND: "20m", MODE: "CW", LOTW_QSL_RCVD: "Y" }));
    for (const call of [...calls, "JA9NEW"]) {
      expect(ask(call)).toEqual([]);
      expect(ask(call, "SSB")).not.toEqual([]);
    }
  });

  it("answers for more different contacts than are kept", () => {
    const rules = AWARD_RULES.filter(({ id }) => id === "wpx");
    const log = counter([qso({ CALL: "DL7ABC" })], { rules });
    const prefixes = (call: string) =>
      told(needs(log, { CALL: call, BAND: "20m", MODE: "CW" }), "wpx").length;
    for (let index = 0; index < 21_000; index++) prefixes(`EA${index}A`);
    expect(prefixes("DL7XYZ")).toBe(4); // worked, and not confirmed: mixed, hf, cw, 20 m
  });
});

describe("spotContact", () => {
  it("makes a contact of spots of feeds and of cluster lines", () => {
    const item = parseFeedLine(
      "DX de DH1TW:     14074.0  W1AW         FT8 US-0001                    1201Z",
      {
        now: new Date("2024-06-30T12:30Z"),
      },
    );
    const spot = spotOfItem(item, "node");
    expect(
      spot && spotContact({ ...spot, references: ["POTA US-0001", "POTA US-0002", "IOTA NA-001"] }),
    ).toEqual({
      CALL: "W1AW",
      BAND: "20m",
      MODE: "FT8",
      POTA_REF: "US-0001,US-0002",
      IOTA: "NA-001",
      QSO_DATE: "20240630",
    });
    const vhf = decodeSpot("DX de DH1TW:    144300.0  S51ABC       JN48QM<ES>JN75                 1201Z");
    expect(vhf.kind === "spot" && spotContact(vhf)).toMatchObject({ GRIDSQUARE: "JN75", PROP_MODE: "ES" });
    const park = decodeSpot("DX de DH1TW:      7012.0  W1AW         POTA US-0001 IOTA NA001        1201Z");
    expect(park.kind === "spot" && spotContact(park)).toMatchObject({ POTA_REF: "US-0001", IOTA: "NA-001" });
    const line = decodeSpot("DX de DH1TW:      7012.0  W1AW         CW                             1201Z", {
      now: new Date("2024-06-30T12:30Z"),
    });
    expect(line.kind === "spot" && spotContact(line)).toMatchObject({
      CALL: "W1AW",
      BAND: "40m",
      MODE: "CW",
    });
  });
});

describe("needsText", () => {
  const need = (key: string, state: Need["state"], unit: Need["unit"] = 291): Need => ({
    key,
    award: key.split(".")[0] ?? "",
    kind: "entity",
    unit,
    state,
  });

  it("tells a new unit once, and else the bands and modes", () => {
    expect(needsText([need("dxcc.mixed.current", "new"), need("dxcc.band.20m", "new")])).toBe("DXCC");
    expect(needsText([need("dxcc.band.20m", "new"), need("dxcc.challenge", "new", "291 20m")])).toBe(
      "DXCC 20m",
    );
    expect(needsText([need("dxcc.mixed.current", "unconfirmed"), need("dxcc.cw.current", "new")])).toBe(
      "DXCC cw",
    );
    expect(needsText([need("waz.mixed", "unconfirmed", 14), need("iota", "new", "EU-005")])).toBe(
      "(WAZ), IOTA",
    );
    expect(needsText([need("waz.band.20m", "unconfirmed", 14)], { waz: "zone" })).toBe("(zone 20m)");
    expect(needsText([])).toBe("");
  });
});
