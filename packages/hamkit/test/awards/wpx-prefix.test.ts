import { describe, expect, it } from "vitest";

import { wpxPrefix } from "../../src/awards.js";

describe("wpxPrefix", () => {
  // The examples of CQ's rules, https://cqwpx.com/rules.htm, definition of a prefix, and of AWARDS.md.
  it.each([
    ["N8BJQ", "N8"],
    ["W8ABC", "W8"],
    ["WD8ABC", "WD8"],
    ["HG1S", "HG1"],
    ["HG19ABC", "HG19"],
    ["KC2ABC", "KC2"],
    ["OE25ABC", "OE25"],
    ["LY1000A", "LY1000"],
    ["N8BJQ/KH9", "KH9"],
    ["N8BJQ/NH9", "NH9"],
    ["KH9/N8BJQ", "KH9"],
    ["KH6XXX/W8", "W8"],
    ["KH6XXX/AD8", "AD8"],
    ["PA/N8BJQ", "PA0"],
    ["N8BJQ/PA", "PA0"],
    ["XEFTJW", "XE0"],
    ["RAEM", "RA0"],
    ["UPOL", "UP0"],
    ["W4BPD/LX", "LX0"],
    ["K4IIF/KP4", "KP4"],
    ["K1ABC/4", "K4"],
    ["G4ABC/W4", "W4"],
    ["VK9XX", "VK9"],
    // Suffixes that are no prefixes.
    ["DL1ABC/P", "DL1"],
    ["DL1ABC/M", "DL1"],
    ["DL1ABC/MM", "DL1"],
    ["DL1ABC/AM", "DL1"],
    ["DL1ABC/A", "DL1"],
    ["DL1ABC/E", "DL1"],
    ["DL1ABC/J", "DL1"],
    ["DL1ABC/QRP", "DL1"],
    ["RAEM/P", "RA0"],
    ["HC2/DH1TW/P", "HC2"],
    ["K1ABC/KP4/QRP", "KP4"],
    // Digits in front, in the suffix, and several of them.
    ["9A1A", "9A1"],
    ["9A/DL1ABC", "9A0"],
    ["4U1ITU", "4U1"],
    ["4UNR", "4U0"],
    ["3DA0RU", "3DA0"],
    ["3DA/ZS6ABC", "3DA0"],
    ["2E0ABC", "2E0"],
    ["OE9M0N", "OE9"],
    ["HD1QRC90", "HD1"],
    ["TM100A", "TM100"],
    ["BV100", "BV100"],
    ["E51ABC", "E51"],
    ["S50A", "S50"],
    ["A45XR", "A45"],
    ["E7/DL1ABC", "E7"],
    ["VP2E/DL1ABC", "VP2"],
    ["VK9X/DL1ABC", "VK9"],
    ["CE0Y/DL1ABC", "CE0"],
    ["AI5P/VK9N", "VK9"],
    ["F/DL1ABC", "F0"],
    // The digit of another call area.
    ["WD8ABC/0", "WD0"],
    ["LY1000A/5", "LY5"],
    ["A45XR/0", "A40"],
    ["W100AW/4", "W4"],
    ["W1AW/1", "W1"],
    // Case, blanks, SSID.
    [" dl1abc ", "DL1"],
    ["DL1ABC-9", "DL1"],
  ])("%s counts as %s", (call, prefix) => {
    expect(wpxPrefix(call)).toBe(prefix);
  });

  it.each([
    "",
    " ",
    "/",
    "?",
    "SWL",
    "/P",
    "123",
    "DL",
    "DL1ABC//P",
    "A/B/C/D/E/F",
    "Ä1ABC",
    "A".repeat(100_000),
  ])("has none for %j", (text) => {
    expect(wpxPrefix(text)).toBeUndefined();
  });

  it("has none for a value that is no text", () => {
    expect(wpxPrefix(undefined as unknown as string)).toBeUndefined();
  });
});
