/** JSON whose numbers keep their text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ExactNumber, parseExactJson } from "../../../src/platform/text/exact-json.js";

const textOf = (literal: string): string => {
  const value = parseExactJson(literal);
  return value instanceof ExactNumber ? value.text : String(value);
};

describe("numbers keep their exact text", () => {
  it.each([
    // What a double holds is as before.
    ["0", "0"],
    ["-0", "0"],
    ["1.0", "1"],
    ["1e3", "1000"],
    ["1.50", "1.5"],
    ["0.1", "0.1"],
    ["9007199254740991", "9007199254740991"],
    ["-9007199254740991", "-9007199254740991"],
    // IEEE 754: the neighbors of 2^53 are two apart.
    ["9007199254740992", "9007199254740992"],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["100002348117421470", "100002348117421470"],
    ["100002348117421472", "100002348117421472"],
    ["18446744073709551615", "18446744073709551615"],
    ["1000000000000000000000000", "1000000000000000000000000"],
    ["9007199254740993.0", "9007199254740993.0"],
    ["9007199254740992.0", "9007199254740992"],
    ["0.1000000000000000055", "0.1000000000000000055"],
    ["1e400", "1e400"],
    ["-1E400", "-1E400"],
    ["1e-400", "1e-400"],
    ["123456789012345e3", "123456789012345000"],
    ["1e999999999999999999999", "1e999999999999999999999"],
  ])("%s is %s", (literal, text) => {
    expect(textOf(literal)).toBe(text);
  });

  it("within lists and objects, after any white space", () => {
    const text = '{"a":[1,9007199254740993,{"b": \n\t9007199254740995}],"c":"9007199254740997","d":[]}';
    expect(JSON.stringify(parseExactJson(text))).toBe(
      '{"a":[1,"9007199254740993",{"b":"9007199254740995"}],"c":"9007199254740997","d":[]}',
    );
  });

  it("of two integers are the same only if the integers are", () => {
    const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(integer, fc.bigInt({ min: -3n, max: 3n }), (one, step) => {
        expect(textOf(String(one))).toBe(String(one));
        expect(textOf(String(one)) === textOf(String(one + step))).toBe(step === 0n);
      }),
    );
  });
});

it("everything else is what JSON.parse reads, duplicates included", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("", " ", "\n"), (json, space) => {
      const value = parseExactJson(`{"x":${space}1e400,"a":1,"x":${space}1e4${space},"y":${json}}`);
      expect(value).toEqual(JSON.parse(`{"x":1e4,"a":1,"y":${json}}`, withoutInexact));
    }),
  );
});

/** `fc.json` has doubles, which print exactly; the large ones are read as text. */
function withoutInexact(_: string, value: unknown): unknown {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER
    ? new ExactNumber(String(value))
    : value;
}

it("members may have any name", () => {
  const value = parseExactJson('{"__proto__":9007199254740993,"constructor":1e400}') as object;
  expect(Object.entries(value).map(([name, { text }]) => [name, text])).toEqual([
    ["__proto__", "9007199254740993"],
    ["constructor", "1e400"],
  ]);
});

it.each(["", "{", '{"a":9007199254740993', "[1e400,]", "9007199254740993 1", "01e400", "NaN"])(
  "%j is no JSON",
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  },
);

it("nesting is limited before it is followed", () => {
  expect(() => parseExactJson(`${"[".repeat(200_000)}1e400${"]".repeat(200_000)}`)).toThrow(/100 levels/);
});
