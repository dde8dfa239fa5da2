import { describe, expect, it } from "vitest";

import { escapeText, oneLine, shorten, textWidth } from "../../src/map/svg-text.js";

describe("escapeText", () => {
  it.each([
    [`<a href="x">'&'</a>`, "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"],
    ["a\u0000b\u001Bc", "a␀b␛c"],
    ["\u007F", "␡"],
    ["\u0085\u009F", "\uFFFD\uFFFD"],
    ["\uD83D", "\uFFFD"],
    ["\uDE00\uD83D", "\uFFFD\uFFFD"],
    ["😀", "😀"],
    ["\uFFFE\uFFFF\uFDD0\u{1FFFF}", "\uFFFD\uFFFD\uFFFD\uFFFD"],
    ["a\u202Eb\u2066c", "a\uFFFDb\uFFFDc"],
    ["שלום Größe 東京", "שלום Größe 東京"],
    ["a\tb\nc", "a\tb\nc"],
  ])("turns %j into %j", (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });
});

describe("oneLine", () => {
  it("makes one blank of every stretch of blanks and line breaks", () => {
    expect(oneLine("  a\r\n\t b\u00A0\u2028c ", 100)).toBe("a b c");
  });

  it("cuts what is too long, but no character in two", () => {
    expect(oneLine("12345", 5)).toBe("12345");
    expect(oneLine("123 56", 5)).toBe("123…");
    expect(oneLine("😀😀😀😀😀", 5)).toBe("😀😀😀😀😀");
    expect(oneLine("😀😀😀😀😀😀", 5)).toBe("😀😀😀😀…");
  });
});

describe("textWidth", () => {
  // measured in Chromium, in em: DejaVu Sans Bold, the widest of the usual system fonts, and Liberation Sans Bold
  it.each([
    ["JN48QM", 4.45, 4.0],
    ["VK9XX → FN31PR", 9.74, 8.67],
    ["2024-10-21 20:00 UTC", 12.5, 10.28],
    ["A rather long name of a station", 17.72, 14.72],
    ["WWWWWW", 6.62, 5.66],
    ["mmmm", 4.17, 3.56],
    ["iiiiii", 2.06, 1.67],
    ["0123456789", 6.96, 5.56],
    ["Größe Ñandú Čapek", 11.21, 9.61],
    ["Москва", 4.26, 3.65],
  ])("is rather too much than too little: %s", (text, widest, usual) => {
    expect(textWidth(text, 1)).toBeGreaterThanOrEqual(widest);
    expect(textWidth(text, 1)).toBeLessThan(1.5 * usual);
  });

  it("grows with the font", () => {
    expect(textWidth("DL1ABC", 20)).toBeCloseTo(20 * textWidth("DL1ABC", 1), 9);
  });

  it("counts no marks that stand on other letters", () => {
    expect(textWidth("e\u0301\u0302\u0303", 1)).toBe(textWidth("e", 1));
  });
});

describe("shorten", () => {
  it("leaves a text that fits", () => {
    expect(shorten("DL1ABC", 100, 10)).toBe("DL1ABC");
  });

  it("cuts a text that doesn't, so that it fits with its ellipsis", () => {
    const short = shorten("A rather long name", 80, 10);
    expect(short).toBe("A rather lo…");
    expect(textWidth(short, 10)).toBeLessThanOrEqual(80);
  });

  it("never cuts a character in two", () => {
    expect(shorten("😀".repeat(10), 60, 10)).toMatch(/^(?:😀)+…$/u);
  });
});
