import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { detachedText } from "../../src/lookup/table.js";

const MEGABYTE = 1_000_000;

describe("a detached text", () => {
  it.each(["DL1ABC", "Bosnia-Herzegovina"])("is the same text: %s", (text) => {
    expect(detachedText(text)).toBe(text);
  });

  it("does not keep the file in memory that it is a part of", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const usedMegabytes = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed / MEGABYTE;
    };
    const before = usedMegabytes();
    const texts = Array.from({ length: 10 }, (_, index) => {
      const file = Buffer.alloc(4 * MEGABYTE, `country ${index}, `).toString("latin1");
      return detachedText(file.slice(100, 130));
    });
    expect(usedMegabytes() - before).toBeLessThan(10);
    expect(texts[9]).toHaveLength(30);
  });
});
