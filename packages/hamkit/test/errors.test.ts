import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import {
  AnswerError,
  APIKeyMissingError,
  ArgumentTypeError,
  AttributeError,
  CallsignError,
  CountryFileError,
  FrequencyError,
  IOError,
  isHamkitError,
  KeyError,
  LocatorError,
  LogError,
  LoginError,
  LogXmlError,
  PositionError,
  ReferenceListError,
  TimeoutError,
  UnsupportedLookupError,
  UserListError,
  ValueError,
  type HamkitError,
} from "../src/errors.js";

const facts = { argument: "x", value: "y", expected: "a z" };
const ALL: HamkitError[] = [
  new AnswerError("callbook", "a page of maintenance"),
  new APIKeyMissingError("log service", "no key"),
  new ArgumentTypeError(facts),
  new AttributeError(facts),
  new CallsignError(facts),
  new CountryFileError({ file: "cty.dat", expected: "a semicolon", found: "none", line: 3 }),
  new FrequencyError(5, "outside"),
  new IOError("/file", "can't be read"),
  new KeyError("k", "no match") as HamkitError,
  new LocatorError(facts),
  new LogError({ file: "my.adi", expected: "a log", found: "nothing" }),
  new LoginError("callbook", "wrong password"),
  new LogXmlError({ file: "cty.xml", expected: "a clublog element", found: "none" }),
  new PositionError(facts),
  new ReferenceListError({ file: "parks.csv", expected: "a header", found: "none" }),
  new TimeoutError("callbook", "no data received for 5 s"),
  new UnsupportedLookupError({ method: "m", lookuptype: "t", supportedBy: ["a", "b"] }),
  new UserListError({ file: "users.csv", expected: "a line", found: "none" }),
  new ValueError(facts),
];

describe("the errors", () => {
  it("have a code of their own each", () => {
    expect(new Set(ALL.map(({ code }) => code)).size).toBe(ALL.length);
    expect(ALL.every((error) => isHamkitError(error))).toBe(true);
  });

  it("belong to the families that the contract names", () => {
    expect(ALL.filter((error) => error instanceof ValueError).map(({ name }) => name)).toEqual([
      "CallsignError",
      "CountryFileError",
      "LocatorError",
      "LogError",
      "LogXmlError",
      "PositionError",
      "ReferenceListError",
      "UserListError",
      "ValueError",
    ]);
    expect(ALL.filter((error) => error instanceof IOError).map(({ name }) => name)).toEqual([
      "AnswerError",
      "IOError",
      "TimeoutError",
    ]);
    expect(ALL.filter((error) => error instanceof TypeError).map(({ name }) => name)).toEqual([
      "TypeError",
      "AttributeError",
    ]);
    expect(ALL.filter((error) => error instanceof KeyError).map(({ code }) => code)).toEqual([
      "frequency/outside-bands",
      "lookup/no-match",
      "lookup/unsupported",
    ]);
  });

  it("name the field, the value and what was expected", () => {
    expect(new ValueError({ argument: "precision", value: 5, expected: "4, 6, 8 or 10" }).message).toBe(
      "precision: 5 is not 4, 6, 8 or 10",
    );
    const shown = (value: unknown): string => new ValueError({ ...facts, value }).message;
    expect(shown("a".repeat(100)).length).toBeLessThan(90);
    expect(shown('say "hi"\u001B[31m')).toBe('x: "say \\"hi\\"\\u001b[31m" is not a z');
    expect([null, undefined, 5n, Symbol("s"), [1], {}, () => 0, new Date(Number.NaN)].map(shown)).toEqual([
      "x: null is not a z",
      "x: undefined is not a z",
      "x: 5n is not a z",
      "x: Symbol(s) is not a z",
      "x: an array is not a z",
      "x: an object is not a z",
      "x: a function is not a z",
      "x: an invalid Date is not a z",
    ]);
  });

  it("keep what they were caused by", () => {
    const cause = new Error("inner");
    expect(new IOError("/file", "can't be read", { cause }).cause).toBe(cause);
  });

  it("are told from other errors by their code, also across copies of the package", () => {
    expect(isHamkitError(Object.assign(new Error("from another copy"), { code: "io/failed" }))).toBe(true);
    const foreign = runInNewContext(
      `Object.assign(new Error("of another window"), { code: "io/failed" })`,
    ) as unknown;
    expect(isHamkitError(foreign)).toBe(true);
    expect(isHamkitError(Object.assign(new Error("of Node"), { code: "ENOENT" }))).toBe(false);
    expect(
      [new TypeError("x"), { code: "io/failed" }, "io/failed", null, undefined].some(isHamkitError),
    ).toBe(false);
  });

  it("narrow in a switch over their code", () => {
    const describeError = (error: HamkitError): string => {
      switch (error.code) {
        case "io/failed":
        case "io/timed-out":
        case "io/unreadable-answer":
          return error.resource;
        case "api-key/missing":
        case "login/refused":
          return error.service;
        case "lookup/unsupported":
          return error.method;
        case "lookup/no-match":
        case "frequency/outside-bands":
          return String(error.key);
        default:
          return error.argument;
      }
    };
    expect(ALL.map(describeError)).toContain("/file");
  });
});
