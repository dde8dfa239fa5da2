import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import {
  FillError,
  fillTemplate,
  parseTemplate,
  TemplateError,
  type FieldValue,
} from "../../src/mappings/python/format.js";
import { parseList } from "../../src/platform/text/python-literal.js";
import { parseRegex } from "../../src/mappings/regex/regex-parser.js";
import { RegexSyntaxError } from "../../src/mappings/regex/regex-syntax.js";
import { compileRegex, compileForSteps, type Regex } from "../../src/mappings/regex/regex.js";

const SEEDS = [11, 12, 13];

/** What Debian's Python answers. */
function answers<Row>(kind: string, seed: number, count: number): Row[] {
  const script = fileURLToPath(new URL("python-answers.py", import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    "/usr/bin/python3",
    [script, kind, String(seed), String(count)],
    {
      encoding: "utf8",
      maxBuffer: 1e9,
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

/** What a function returns, or `undefined` if it throws an error of a kind. */
function unless<Value>(
  kinds: readonly (abstract new (...args: never) => Error)[],
  task: () => Value,
): Value | undefined {
  try {
    return task();
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}

interface PatternRow {
  readonly pattern: string;
  readonly texts?: readonly string[];
  readonly found?: readonly boolean[];
}

const searchAll = (regex: Regex, texts: readonly string[]) =>
  texts.map((text) => regex.search(text, { left: 10_000_000 }));

describe("patterns, beside Python's", () => {
  it.each(SEEDS)("are refused or found alike, on either engine: seed %i", (seed) => {
    const rows = answers<PatternRow>("patterns", seed, 5000);
    const engines = new Set<string>();
    const different = rows.filter(({ pattern, texts = [], found }) => {
      const regex = unless([RegexSyntaxError], () => compileRegex(pattern));
      if (regex === undefined || found === undefined) return (regex === undefined) !== (found === undefined);
      engines.add(regex.engine);
      return [regex, compileForSteps(parseRegex(pattern))].some(
        (one) => !isDeepStrictEqual(searchAll(one, texts), found),
      );
    });
    expect(different).toStrictEqual([]);
    expect([...engines].toSorted()).toStrictEqual(["re2", "steps"]);
  });
});

describe("templates, beside Python's", () => {
  it.each(SEEDS)("are refused or filled alike: seed %i", (seed) => {
    const rows = answers<{ template: string; values: FieldValue[]; filled?: string }>(
      "templates",
      seed,
      5000,
    );
    const different = rows.filter(
      ({ template, values, filled }) =>
        unless([TemplateError, FillError], () =>
          fillTemplate(parseTemplate(template), values, { left: Infinity }),
        ) !== filled,
    );
    expect(different).toStrictEqual([]);
  });
});

describe("lists, beside Python's", () => {
  it.each(SEEDS)("are read alike: seed %i", (seed) => {
    const rows = answers<{ source: string; list: unknown }>("lists", seed, 5000);
    const different = rows.filter(({ source, list }) => !isDeepStrictEqual(parseList(source) ?? null, list));
    expect(different).toStrictEqual([]);
  });
});
