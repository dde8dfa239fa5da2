import { describe, expect, it } from "vitest";

import { parseAdif, repairAdif, undoRepairs } from "../../src/adif.js";

describe("values beyond ASCII", () => {
  // "Jörg" has 4 characters and 5 bytes in UTF-8, "Città" 5 and 6; the last byte of "à" is A0, a blank elsewhere.
  it.each([
    ["<NAME:9>Jörg", "Jörg", "length-too-long"],
    ["<NAME:6>Jörg", "Jörg", "length-too-long"],
    ["<NAME:3>Jörg", "Jörg", "length-too-short"],
    ["<NAME:4>Jörg", "Jörg", "length-in-characters-of-utf8"],
    ["<NAME:5>Jörg", "Jörg", "length-in-bytes-of-utf8"],
    ["<NAME:5>Città", "Città", "length-in-characters-of-utf8"],
    ["<NAME:9>Città ", "Città", "length-too-long"],
    ["<NAME>Città", "Città", "colon-missing"],
  ])("%s: the length is reported by the count that fits, if one does", (field, value, rule) => {
    const text = `<CALL:6>DL1ABC${field}<QSO_DATE:8>20240630<EOR>`;
    const { records, repairs, findings } = repairAdif(text);
    expect(records).toEqual([{ CALL: "DL1ABC", NAME: value, QSO_DATE: "20240630" }]);
    expect(findings).toMatchObject([{ rule, field: "NAME" }]);
    expect(parseAdif(text).findings).toMatchObject([{ rule, field: "NAME" }]);
    expect(undoRepairs(records, repairs)).toEqual(parseAdif(text).records);
  });

  it("elsewhere do not change the value of a length beyond the end of the file", () => {
    const text = "Köln<EOH><CALL:6>DL1ABC<NAME:40>Hans<EOR>";
    expect(parseAdif(text)).toMatchObject({
      records: [{ CALL: "DL1ABC", NAME: "Hans<EOR>" }],
      findings: [{ rule: "length-too-long-at-end" }, { rule: "eor-missing" }],
    });
  });

  it("in a comment behind a value are not of the value", () => {
    const text = "<MY_STATE:2>BW // Köln <CALL:4>W1AW<EOR>";
    expect(repairAdif(text)).toMatchObject({ records: [{ MY_STATE: "BW", CALL: "W1AW" }], findings: [] });
  });

  it("are decoded in the text of the header", () => {
    expect(parseAdif("Log aus Köln\n<ADIF_VER:5>3.1.7<EOH>").header.text).toBe("Log aus Köln");
  });
});

describe("the length of a tag", () => {
  it.each([
    ["<NAME>Hans", "colon-missing"],
    ["<NAME:>Hans", "length-missing"],
    ["<NAME: >Hans", "length-missing"],
    ["<NAME:-4>Hans", "length-negative"],
    ["<NAME:four>Hans", "length-not-a-number"],
    ["<NAME:x-4>Hans", "length-not-a-number"],
  ])("has a fault of its own name: %s", (field, rule) => {
    const text = `<CALL:6>DL1ABC${field}<EOR>`;
    expect(parseAdif(text).findings).toMatchObject([{ level: "warning", rule, field: "NAME" }]);
    const { records, repairs } = repairAdif(text);
    expect(records).toEqual([{ CALL: "DL1ABC", NAME: "Hans" }]);
    expect(repairs).toEqual([{ record: 0, rule, field: "NAME", before: undefined, after: "Hans" }]);
    expect(undoRepairs(records, repairs)).toEqual([{ CALL: "DL1ABC" }]);
  });
});
