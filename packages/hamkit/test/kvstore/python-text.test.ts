import { describe, expect, it } from "vitest";

import { pythonBool, pythonFloat, pythonJson } from "../../src/kvstore/kvstore-record.js";

describe("values as Python writes them", () => {
  // repr of each in Python 3.11.
  it.each([
    [51, "51.0"],
    [0, "0.0"],
    [-0, "-0.0"],
    [-4.18, "-4.18"],
    [0.1, "0.1"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [0.000015, "1.5e-05"],
    [1.5e-7, "1.5e-07"],
    [-1e-10, "-1e-10"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [5e-324, "5e-324"],
    [123456789012345680, "1.2345678901234568e+17"],
    [1e16, "1e+16"],
    [9999999999999998, "9999999999999998.0"],
    [1e15, "1000000000000000.0"],
    [0.1 + 0.2, "0.30000000000000004"],
  ])("spells floats: %d", (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });

  it("spells truth values with a capital", () => {
    expect([true, false].map(pythonBool)).toEqual(["True", "False"]);
  });

  it("writes objects with blanks behind separators, in ASCII", () => {
    const fields = [
      ["country", 'Côte d\'Ivoire "CI"\\'],
      ["note", "\u{1F4FB}\n\u007F\u2028"],
    ] as const;
    // json.dumps(dict(fields)) in Python 3.11.
    expect(pythonJson(fields)).toBe(
      String.raw`{"country": "C\u00f4te d'Ivoire \"CI\"\\", "note": "\ud83d\udcfb\n\u007f\u2028"}`,
    );
    expect(pythonJson([])).toBe("{}");
  });
});
