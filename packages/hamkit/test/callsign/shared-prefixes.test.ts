import { describe, expect, it } from "vitest";

import { isSharedPrefix } from "../../src/callsign/shared-prefixes.js";

describe("isSharedPrefix", () => {
  // Entities and their codes as in ADIF 3.1.6 and the ARRL DXCC list.
  it.each([
    ["TX5K", 36, "Clipperton"],
    ["TO7D", 79, "Guadeloupe"],
    ["3Y0J", 24, "Bouvet"],
    ["3Y0X", 199, "Peter I"],
    ["VP6D", 513, "Ducie"],
    ["VK9DLX", 147, "Lord Howe"],
    ["VK0EK", 111, "Heard"],
    ["KC4USV", 13, "Antarctica"],
    ["E51WL", 191, "North Cook"],
    ["4U1UN", 289, "United Nations"],
    ["GB2RS", 279, "Scotland"],
    ["CE0Y", 47, "Easter Island"],
    ["CE0Z", 125, "Juan Fernandez"],
    ["XQ0X", 217, "San Felix"],
    ["9M4SLL", 247, "Spratly"],
    ["3D2C", 489, "Conway Reef"],
    ["HK0NA", 216, "San Andres"],
    ["JD1BMH", 192, "Ogasawara"],
  ])("knows that the prefix of %s may be that of %i, %s", (call, adif) => {
    expect(isSharedPrefix(call, adif)).toBe(true);
  });

  it.each([
    ["DL1ABC", 230, "a prefix of one entity"],
    ["KL7FQR", 291, "an Alaskan who moved to the mainland"],
    ["KC4ABC", 202, "a call of the mainland in Puerto Rico"],
    ["KP4ABC", 291, "a Puerto Rican on the mainland"],
  ])("is not so for %s, %i: %s", (call, adif) => {
    expect(isSharedPrefix(call, adif)).toBe(false);
  });
});
