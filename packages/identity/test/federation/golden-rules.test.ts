import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { RULES } from "./golden-rules.js";

describe("docs/identity/differences.md", () => {
  it("has a section for each rule that explains a deviation", () => {
    const text = readFileSync(new URL("../../../../docs/identity/differences.md", import.meta.url), "utf8");
    const titles = [...text.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(Object.keys(RULES)));
  });
});
