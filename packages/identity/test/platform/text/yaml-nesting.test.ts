/** YAML that is nested too deep is refused before it is parsed, in every document that the service takes. */
import { describe, expect, it } from "vitest";

import { readDocument } from "../../../src/federation-document/document-source.js";
import { parseLimitDocument } from "../../../src/limits/transfer/limit-document.js";
import { isYamlTooDeep } from "../../../src/platform/text/yaml-nesting.js";

const DEEP = [
  ["lists in brackets", "[".repeat(50_000)],
  ["maps in braces", "{a: ".repeat(50_000)],
  ["lists of lists", "- ".repeat(50_000)],
  ["indented maps", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
] as const;

describe.each(DEEP)("%s", (_, text) => {
  it("are refused by each reader", () => {
    expect(isYamlTooDeep(text)).toBe(true);
    expect(() => parseLimitDocument(text)).toThrow(/nested too deep/);
    expect(() => readDocument(text, { file: "f.yaml", secretNames: new Set() })).toThrow(/nested too deep/);
  });
});

it("takes what documents have, also in texts", () => {
  const text = `version: 1\nlist: ["[[[[", {a: [1, 2]}]\ntext: "${"- ".repeat(200)}"\n# ${"[".repeat(200)}\n`;
  expect(isYamlTooDeep(text)).toBe(false);
});
