import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { drawMap } from "../../src/map.js";
import { all, draw, ofClass } from "./svg.js";

describe("text from outside", () => {
  const HOSTILE = [
    "<script>alert(1)</script>",
    `"><svg onload='alert(1)'>`,
    "</text></svg><!--",
    "]]>&amp;&#0;",
    "a\u0000b\u0008c\u007Fd\u0085e",
    "\u202Etxt.exe",
    "half \uD83D surrogate",
    "\uFFFE\uFFFF",
  ];

  it.each(HOSTILE)("stays text: %j", async (label) => {
    const place = { latitude: 10, longitude: 20, label };
    const options = { from: place, to: "FN31PR", title: label, desc: label };
    const root = await draw(options);
    const plain = await draw({ ...options, from: "JN48QM", title: "a", desc: "b" });
    expect(all(root).map(({ name }) => name)).toEqual(all(plain).map(({ name }) => name));
    expect(ofClass(root, "label")[0]?.text.length).toBeGreaterThanOrEqual(label.trim().length - 1);
  });

  it("comes out as it went in, where XML has a place for it", async () => {
    const label = `<b>"Tom" & 'Jerry'</b>`;
    const root = await draw({ from: { locator: "JN48", label }, title: label, desc: label });
    expect(ofClass(root, "label")[0]?.text).toBe(label);
    expect(all(root).find(({ name }) => name === "title")?.text).toBe(label);
    expect(all(root).find(({ name }) => name === "desc")?.text).toBe(label);
  });

  it("never breaks the document", async () => {
    const anything = fc.string({ unit: "binary", maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anything, anything, async (label, title) => {
        const root = await draw({ from: { locator: "JN48QM", label }, to: "FN31PR", title });
        expect(root.children[0]?.name).toBe("title");
      }),
      { numRuns: 60 },
    );
  });

  it("can't make a map large, not even with marks that have no width", async () => {
    const label = `a${"\u0301".repeat(100_000)}`;
    expect((await drawMap({ from: { locator: "JN48QM", label }, to: "FN31PR" })).length).toBeLessThan(60_000);
  });

  it("is cut where it is too long for the map", async () => {
    const root = await draw({ from: { locator: "JN48QM", label: "W".repeat(100_000) }, to: "FN31PR" });
    expect(ofClass(root, "label")[0]?.text).toMatch(/^W{5,40}…$/);
    expect(ofClass(root, "names")[0]?.text).toMatch(/^W{5,40}… → FN31PR$/);
  });
});
