import { describe, expect, it } from "vitest";

import { mixedScripts, nameFault, normalizeName } from "../../../src/platform/text/name-characters.js";

describe("nameFault", () => {
  it.each([
    ["a line feed", "kim\nadmin", "control character U+000A"],
    ["U+0000", "kim\0", "control character U+0000"],
    ["a C1 control", "kim\u0085", "control character U+0085"],
    ["a right-to-left override", "kim\u202Enimda", "bidirectional control character U+202E"],
    ["an isolate", "\u2066kim", "bidirectional control character U+2066"],
    ["a zero width space", "ad\u200Bmin", "format character U+200B"],
    ["a soft hyphen", "ad\u00ADmin", "format character U+00AD"],
    ["a byte order mark", "\uFEFFadmin", "format character U+FEFF"],
    ["a tag", "admin\u{E0041}", "format character U+E0041"],
    ["a line separator", "kim\u2028", "line separator U+2028"],
    ["half a surrogate pair", "kim\uD83D", "unpaired surrogate U+D83D"],
    ["a private-use character", "kim\uE000", "private-use character U+E000"],
    ["one of plane 16", "kim\u{10FFFD}", "private-use character U+10FFFD"],
    ["an unassigned character", "kim\u0378", "unassigned character U+0378"],
    ["a noncharacter", "kim\uFFFF", "unassigned character U+FFFF"],
    ["a Hangul filler", "kim\u3164", "invisible character U+3164"],
    ["a variation selector", "admin\uFE0F", "invisible character U+FE0F"],
    ["a combining grapheme joiner", "ad\u034Fmin", "invisible character U+034F"],
  ])("names %s", (_what, name, words) => {
    expect(nameFault(name)).toBe(`contains the ${words}`);
  });

  it.each([
    "kim",
    "Kim Smith",
    "O'Brien-Nuñez, J. (Sr.)",
    "Zoe\u0308",
    "Нина",
    "محمد علي",
    "田中太郎",
    "김민지",
    "हिन्दी",
    "kim@example.org",
    "rocket 🚀",
    "",
  ])("takes %j", (name) => {
    expect(nameFault(name)).toBeUndefined();
  });
});

describe("normalizeName", () => {
  it.each([
    ["Zoe\u0308", "Zo\u00EB"],
    ["  kim  smith\t", "kim  smith"],
    ["\u212B", "\u00C5"],
    ["\u1112\u1161\u11AB", "\uD55C"],
    // Compatibility is not canonical equivalence.
    ["ﬁ", "ﬁ"],
  ])("makes %j %j", (text, name) => {
    expect(normalizeName(text)).toBe(name);
  });
});

describe("mixedScripts", () => {
  it.each([
    ["\u0430dmin", ["Cyrillic", "Latin"]],
    ["adm\u03B9n", ["Greek", "Latin"]],
    ["Нина\u05D0", ["Cyrillic", "Hebrew"]],
    ["\u1E00\u13A0", ["Latin", "other"]],
  ])("finds in %j %j", (name, scripts) => {
    expect(mixedScripts(name)).toEqual(scripts);
  });

  // The danda belongs to Devanagari, Bengali and others at once, and mixes none of them.
  it.each(["kim 42", "Zoë", "Нина 7", "田中 Taro", "こんにちは カタカナ", "김민지 金", "ㄅ中", "हिन्दी।", ""])(
    "finds none in %j",
    (name) => {
      expect(mixedScripts(name)).toEqual([]);
    },
  );
});
