import { describe, expect, it } from "vitest";

import { countiesOf, findCounty } from "../../src/places.js";

const STATES =
  "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY".split(
    " ",
  );

describe("countiesOf", () => {
  // Numbers of the census bureau.
  it.each([
    ["TX", 254],
    ["GA", 159],
    ["DE", 3],
    ["RI", 5],
    ["tx", 254],
  ])("%s has %i counties", (state, count) => {
    expect(countiesOf(state)).toHaveLength(count);
  });

  it("has those of the 50 states, each once", () => {
    const codes = STATES.flatMap((state) => countiesOf(state)).map(({ code }) => code);
    expect(codes).toHaveLength(3146);
    expect(new Set(codes).size).toBe(3146);
  });

  it("lists parishes, boroughs and independent cities too", () => {
    expect(countiesOf("LA").map(({ name }) => name)).toContain("Orleans");
    expect(countiesOf("AK").find(({ name }) => name === "Juneau")?.officialName).toBe(
      "Juneau City and Borough",
    );
    expect(countiesOf("MD").map(({ code }) => code)).toEqual(
      expect.arrayContaining(["MD,Baltimore", "MD,Baltimore City"]),
    );
  });

  it.each(["ZZ", "", "DC", "__proto__", "constructor"])("has no %j", (state) => {
    expect(() => countiesOf(state)).toThrow(/is not the code of a state with counties/);
  });

  it("rejects other types", () => {
    expect(() => countiesOf(5 as never)).toThrow(TypeError);
  });
});

describe("findCounty", () => {
  it.each([
    ["TX,Travis", "TX,Travis"],
    ["tx,travis", "TX,Travis"],
    [" TX , Travis County ", "TX,Travis"],
    ["AL,St. Clair", "AL,Saint Clair"],
    ["AL,DeKalb", "AL,De Kalb"],
    ["AL,De Kalb", "AL,De Kalb"],
    ["NM,Doña Ana", "NM,Dona Ana"],
    ["LA,Orleans Parish", "LA,Orleans"],
    ["MD,Baltimore City", "MD,Baltimore City"],
    ["MD,Baltimore", "MD,Baltimore"],
    ["VA,Salem City", "VA,Salem"],
    ["AK,Juneau City and Borough", "AK,Juneau"],
  ])("%j is %s", (value, code) => {
    expect(findCounty(value)?.code).toBe(code);
  });

  it.each(["TX,Sussex", "TX", "Travis", "TX,", "ZZ,Travis", `TX,${"a".repeat(1000)}`, "__,proto__"])(
    "does not know %j",
    (value) => {
      expect(findCounty(value)).toBeUndefined();
    },
  );

  it("rejects other types", () => {
    expect(() => findCounty(undefined as never)).toThrow(/value: undefined is not a state and a county/);
  });
});
