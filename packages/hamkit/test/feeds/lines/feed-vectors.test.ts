import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseFeedLine } from "../../../src/feeds.js";

/** A line or an object of a feed, and what is in it. */
interface FeedVector {
  readonly id: number;
  readonly format: string;
  readonly raw: string | object;
  readonly expected: Readonly<Record<string, unknown>>;
}

/**
 * Lines and documents of feeds, real and made, as `origin` says. Gathered 2026-11-22. The folder beside the checkout may have more.
 */
const shared = new URL("../../../../../../shared/hamkit/next/feeds/samples.jsonl", import.meta.url);
const own = new URL("samples.jsonl", import.meta.url);
const vectors = readFileSync(existsSync(shared) ? shared : own, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as FeedVector);

describe("parseFeedLine", () => {
  const now = new Date("2026-03-22T12:00:00Z");

  it("has vectors of every format", () => {
    expect(vectors.length).toBeGreaterThan(100);
    expect(new Set(vectors.map(({ format }) => format)).size).toBeGreaterThan(15);
  });

  it.each(vectors)("vector $id ($format) with the name of its format", ({ format, raw, expected }) => {
    expect(parseFeedLine(raw, { format, now })).toMatchObject(expected);
  });

  it.each(vectors)("vector $id ($format) without it", ({ raw, expected }) => {
    expect(parseFeedLine(raw, { now })).toMatchObject(expected);
  });
});
