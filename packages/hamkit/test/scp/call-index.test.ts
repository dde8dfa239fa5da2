import { describe, expect, it } from "vitest";

import { characterSet, indexCalls, startOfLength } from "../../src/scp/scp-list.js";

describe("characterSet", () => {
  it("has a bit of its own for each letter, each digit and the slash", () => {
    const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/";
    const sets = Array.from(characters, (character) => {
      const { letters, others } = characterSet(character);
      return `${letters},${others}`;
    });
    expect(new Set(sets).size).toBe(37);
    expect(characterSet(characters)).toEqual({ letters: 2 ** 26 - 1, others: 2 ** 11 - 1 });
  });

  it("leaves ? out", () => {
    expect(characterSet("??")).toEqual({ letters: 0, others: 0 });
  });
});

describe("indexCalls", () => {
  const index = indexCalls(["A1A", "B1", "DL1AB", "K1A"]);

  it("puts the shorter calls first, equally long ones in their order", () => {
    expect(index.calls).toEqual(["B1", "A1A", "K1A", "DL1AB"]);
  });

  it("returns the index of the first call of at least a length, also for lengths without calls", () => {
    expect([-1, 0, 2, 3, 4, 5, 6, 99].map((length) => startOfLength(index, length))).toEqual([
      0, 0, 0, 1, 3, 3, 4, 4,
    ]);
    expect(startOfLength(indexCalls([]), 3)).toBe(0);
  });
});
