import { describe, expect, it } from "vitest";

import { readAddress, writeAddress } from "../src/address.js";

const time = new Date("2026-11-23T07:00Z");

describe("the address", () => {
  it("has the search, the own locator and the time", () => {
    const address = writeAddress({ search: "DL1ABC, JN48QM", from: "FN31PR", time });
    expect(address).toBe("#call=DL1ABC,+JN48QM&from=FN31PR&time=2026-11-23T07:00Z");
    expect(readAddress(address)).toEqual({ search: "DL1ABC, JN48QM", from: "FN31PR", time });
  });

  it("is empty without any", () => {
    expect(writeAddress({ search: " " })).toBe("");
    expect(readAddress("")).toEqual({ search: "", from: undefined, time: undefined });
  });

  it("keeps slashes and markup as they were written", () => {
    for (const search of ["HC2/DH1TW", "<img src=x>", "a&from=JN48", "ß%"])
      expect(readAddress(writeAddress({ search })).search).toBe(search);
  });

  it.each(["from=ZZ99", "from=<b>", "time=yesterday", "time=2026-02-31T99:00Z", "time=2026-11-23"])(
    "leaves out %s",
    (part) => {
      expect(readAddress(`#${part}`)).toEqual({ search: "", from: undefined, time: undefined });
    },
  );
});
