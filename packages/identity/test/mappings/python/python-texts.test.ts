/** Templates, quoted texts and lists with the results of Python 3.11's `str.format`, `repr`, `ascii` and `ast.literal_eval`. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { describe, expect, it } from "vitest";

import {
  FillError,
  fillTemplate,
  parseTemplate,
  TemplateError,
  type FieldValue,
} from "../../../src/mappings/python/format.js";
import { parseList } from "../../../src/platform/text/python-literal.js";
import { asciiOnly, reprText } from "../../../src/mappings/python/repr.js";

interface PythonTexts {
  /** What the templates are filled with. */
  readonly values: readonly FieldValue[];
  /** Without `filled`, Python refuses the template, or these values. */
  readonly templates: readonly { readonly template: string; readonly filled?: string }[];
  readonly reprs: readonly { readonly text: string; readonly repr: string; readonly ascii: string }[];
  /** `null`: the source is not a list. */
  readonly lists: readonly { readonly source: string; readonly list: unknown }[];
}

const python = JSON.parse(
  readFileSync(new URL("../fixtures/python-texts.json", import.meta.url), "utf8"),
) as PythonTexts;

/** `undefined` if the template or its values are refused. */
function filled(template: string, values = python.values): string | undefined {
  try {
    return fillTemplate(parseTemplate(template), values, { left: 1_000_000 });
  } catch (error) {
    if (error instanceof TemplateError || error instanceof FillError) return undefined;
    throw error;
  }
}

/** The message that a template is refused with. */
function refusalOf(template: string): string | undefined {
  try {
    parseTemplate(template);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.message;
  }
}

describe("templates", () => {
  it("are filled or refused as in Python", () => {
    const different = python.templates.filter((row) => filled(row.template) !== row.filled);
    expect(different).toStrictEqual([]);
    expect(python.templates.length).toBeGreaterThan(80);
  });

  it.each([
    ["a}", `single "}", expected "}}" for a brace`],
    ["{0", `"{" opens no valid field; nested fields are not supported, "{{" is a brace`],
    ["{0:{1}}", `"{" opens no valid field; nested fields are not supported, "{{" is a brace`],
    ["{0!x}", `unknown conversion "!x", expected !r, !s or !a`],
    ["{0.real}", `attribute access in "{0.real}" is not supported`],
    ["{name}", `field "{name}" has no value number, expected one such as {0}`],
    ["{0[x]}", `subscript in "{0[x]}" is not a number`],
    ["{}{0}", `"{}" is mixed with numbered fields`],
    ["{0}{}", `"{}" is mixed with numbered fields`],
    ["{0:d}", `":d" is not a format spec for strings`],
  ])("are refused with the reason: %s", (template, message) => {
    expect(refusalOf(template)).toBe(message);
  });

  it("pad to at most 1,024 characters, and have at most 1,000 fields", () => {
    expect(filled("{0:1024}")).toBe("bob".padEnd(1024));
    expect(refusalOf("{0:1025}")).toBe(`format spec ":1025" pads to more than 1024 characters`);
    expect(filled("{0}".repeat(1000))).toBe("bob".repeat(1000));
    expect(refusalOf("{0}".repeat(1001))).toBe("more than 1000 fields");
  });
});

describe("quoted texts", () => {
  it.each(python.reprs)("are those of Python: $repr", ({ text, repr, ascii }) => {
    expect(reprText(text)).toBe(repr);
    expect(asciiOnly(reprText(text))).toBe(ascii);
  });
});

describe("lists", () => {
  it("are read as in Python", () => {
    const different = python.lists.filter(
      ({ source, list }) => !isDeepStrictEqual(parseList(source) ?? null, list),
    );
    expect(different).toStrictEqual([]);
    expect(python.lists.length).toBeGreaterThan(100);
  });

  it("are nested at most 90 levels deep below the outermost", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(parseList(nested(91))).toStrictEqual(JSON.parse(nested(91)));
    expect(parseList(nested(92))).toBeUndefined();
  });
});
