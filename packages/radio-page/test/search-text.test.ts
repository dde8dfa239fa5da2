import { describe, expect, it } from "vitest";

import { parseSearch } from "../src/search/search-text.js";

describe("the search field", () => {
  it.each([
    ["DL1ABC", { call: "DL1ABC" }],
    [" dl1abc,jn48qm , 14.074 ", { call: "DL1ABC", locator: "JN48QM", frequencyKHz: 14_074 }],
    ["jn48qm", { locator: "JN48QM" }],
    ["14.074 MHz HC2/DH1TW", { call: "HC2/DH1TW", frequencyKHz: 14_074 }],
    ["W1AW 7025", { call: "W1AW", frequencyKHz: 7025 }],
    ["W1AW 10100", { call: "W1AW", frequencyKHz: 10_100 }],
    ["W1AW 432", { call: "W1AW", frequencyKHz: 432_000 }],
    ["W1AW 1296", { call: "W1AW", frequencyKHz: 1_296_000 }],
    ["W1AW 472.5 kHz", { call: "W1AW", frequencyKHz: 472.5 }],
  ])("reads %j", (text, search) => {
    expect(parseSearch(text)).toEqual(search);
  });

  it("is empty", () => {
    expect(parseSearch(" , ")).toBeUndefined();
  });

  it("names what it can't read", () => {
    expect(parseSearch("DL1ABC ZZ99")).toEqual({ problem: expect.stringContaining("“ZZ99”") as string });
    expect(parseSearch("14.074")).toEqual({
      problem: expect.stringContaining("a call or a locator") as string,
    });
    expect(parseSearch("A".repeat(200))).toHaveProperty("problem");
  });
});
