import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { normalizeCallsign, withoutSsid } from "../../src/callsign/normalize.js";

describe("normalizeCallsign", () => {
  it("raises letters and takes blanks away from both ends", () => {
    expect(normalizeCallsign("  dh1tw/p\t\n")).toBe("DH1TW/P");
  });

  it.each(["ß1ABC", "ı2abc", "ﬁ2abc", "İ2ABC", "DLØABC", "ДЛ1АБЦ", "ＤＬ１ＡＢＣ", "DL1😀ABC"])(
    "does not take %s for ASCII letters, as raising the case of all letters would",
    (text) => {
      expect(normalizeCallsign(text)).toBeUndefined();
    },
  );

  it.each(["", " ", "DH1 TW", "DH1TW?", "DL1ABC'; DROP TABLE", "DL1ABC\0", "A".repeat(300)])(
    "refuses %o",
    (text) => {
      expect(normalizeCallsign(text)).toBeUndefined();
    },
  );

  it.each([
    ["DL8LAS-#", "DL8LAS"],
    ["dl8las-2-#", "DL8LAS-2"],
    ["DH1TW-@ ", "DH1TW"],
  ])("takes the mark of a spotter off %j", (text, expected) => {
    expect(normalizeCallsign(text)).toBe(expected);
  });

  it.each(["#", "-#", "DL8#LAS", "DL8LAS#", "DL8LAS-#-#", "DL8LAS-#/P"])(
    "refuses other marks: %s",
    (text) => {
      expect(normalizeCallsign(text)).toBeUndefined();
    },
  );

  it("leaves a normalized callsign as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = normalizeCallsign(text);
        fc.pre(once !== undefined);
        expect(normalizeCallsign(once ?? "")).toBe(once);
      }),
    );
  });
});

describe("withoutSsid", () => {
  it.each([
    ["DH1TW-9", "DH1TW"],
    ["DH1TW-100", "DH1TW"],
    ["DH1TW-1/P", "DH1TW/P"],
    ["DH1TW/P-2", "DH1TW/P"],
    ["DH1TW", "DH1TW"],
  ])("takes the SSID off %s", (callsign, expected) => {
    expect(withoutSsid(callsign)).toBe(expected);
  });

  it.each(["DH1TW-1000", "DH1TW-A", "DH1TW-", "-DH1TW"])("knows no SSID like that of %s", (callsign) => {
    expect(withoutSsid(callsign)).toBe(callsign);
  });
});
