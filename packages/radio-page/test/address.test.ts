import { describe, expect, it } from "vitest";

import { readAddress, writeAddress } from "../src/address.js";

const time = new Date("2026-11-23T07:00Z");

describe("the address", () => {
  it("has the search, the own locator and the time", () => {
    const address = writeAddress({ search: "DL1ABC, JN48QM", from: "FN31PR", time });
    expect(address).toBe("#call=DL1ABC,+JN48QM&from=FN31PR&time=2026-11-23T07:00Z");
    expect(readAddress(address)).toMatchObject({ search: "DL1ABC, JN48QM", from: "FN31PR", time });
  });

  it("is empty without any", () => {
    expect(writeAddress({ search: " " })).toBe("");
    expect(readAddress("")).toMatchObject({ search: "", from: undefined, time: undefined });
  });

  it("has projection, center and zoom of the map", () => {
    const section = { center: { latitude: 48.516_666, longitude: -0.001 }, zoom: 3.375 };
    const address = writeAddress({ search: "", projection: "azimuthal", section });
    expect(address).toBe("#projection=azimuthal&center=48.52,0&zoom=3.38");
    expect(readAddress(address)).toMatchObject({
      projection: "azimuthal",
      section: { center: { latitude: 48.52, longitude: 0 }, zoom: 3.38 },
    });
  });

  it.each([
    "center=91,0",
    "center=0,181",
    "center=48",
    "center=a,b",
    "center=1,2&zoom=0",
    "center=1,2&zoom=65",
    "zoom=4",
    "projection=mercator",
  ])("shows the whole world for %s", (part) => {
    expect(readAddress(`#${part}`)).toMatchObject({ projection: undefined, section: undefined });
  });

  it("keeps slashes and markup as they were written", () => {
    for (const search of ["HC2/DH1TW", "<img src=x>", "a&from=JN48", "ß%"])
      expect(readAddress(writeAddress({ search })).search).toBe(search);
  });

  it.each(["from=ZZ99", "from=<b>", "time=yesterday", "time=2026-02-31T99:00Z", "time=2026-11-23"])(
    "leaves out %s",
    (part) => {
      expect(readAddress(`#${part}`)).toMatchObject({ search: "", from: undefined, time: undefined });
    },
  );
});
