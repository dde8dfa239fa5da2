import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { detachedText } from "../../src/lookup/table.js";

const MEGABYTE = 1_000_000;

describe("a detached text", () => {
  it.each(["DL1ABC", "Bosnia-Herzegovina"])("is the same text: %s", (text) => {
    expect(detachedText(text)).toBe(text);
  });

  it("does not keep the file in memory that it is a part of", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const usedMegabytes = async () => {
      collectGarbage();
      // Buffers are freed a turn later.
      await setImmediate();
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return (heapUsed + external) / MEGABYTE;
    };
    const before = await usedMegabytes();
    const texts = Array.from({ length: 10 }, (_, index) => {
      const file = Buffer.alloc(4 * MEGABYTE, `country ${index}, `).toString("latin1");
      return detachedText(file.slice(100, 130));
    });
    expect((await usedMegabytes()) - before).toBeLessThan(20);
    expect(texts[9]).toHaveLength(30);
  });
});
