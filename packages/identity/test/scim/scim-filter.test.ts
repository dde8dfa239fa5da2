/** Filters of SCIM: their grammar, their meaning, and texts that attack the parser. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { matchesFilter } from "../../src/scim/filter/filter-evaluation.js";
import {
  MAX_FILTER_DEPTH,
  MAX_FILTER_LENGTH,
  parseScimFilter,
  parseValuePath,
  type CompareOperator,
  type Filter,
} from "../../src/scim/filter/filter-parser.js";
import { USER_TYPE } from "../../src/scim/schema/scim-schemas.js";
import { ScimFilterError } from "../../src/scim/scim-errors.js";
import { cpuMs } from "../cpu-time.js";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** A user as in RFC 7643, section 8.2. */
const BABS = {
  id: "2819c223",
  externalId: "701984",
  userName: "bjensen@example.com",
  name: { familyName: "Jensen", givenName: "Barbara" },
  active: true,
  userType: "Employee",
  emails: [
    { value: "bjensen@example.com", type: "work", primary: true },
    { value: "babs@jensen.org", type: "home" },
  ],
  [ENTERPRISE]: { department: "Tour Operations", manager: { value: "26118915" } },
  meta: { created: "2010-01-23T04:56:22.000Z", lastModified: "2011-05-13T04:42:34.000Z" },
};

const matches = (filter: string) => matchesFilter(parseScimFilter(filter), BABS, USER_TYPE);

describe("filters of SCIM", () => {
  // The examples of RFC 7644, figure 2 of section 3.4.2.2, with this user.
  it.each([
    ['userName Eq "bjensen@example.com"', true],
    ['userName eq "BJensen@Example.com"', true],
    ['externalId eq "701984"', true],
    ['id eq "2819C223"', false],
    ['name.familyName co "O\'Malley"', false],
    ['name.familyName co "ENS"', true],
    ['userName sw "B"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "b"', true],
    ["title pr", false],
    ["emails pr", true],
    ['meta.lastModified gt "2011-05-13T04:42:33Z"', true],
    ['meta.lastModified ge "2011-05-13T06:42:34+02:00"', true],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', false],
    ['title pr and userType eq "Employee"', false],
    ['title pr or userType eq "Intern" or active eq true', true],
    ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', true],
    ['userType ne "Employee" and not (emails co "example.com")', false],
    ['emails[type eq "work" and value co "@example.com"]', true],
    ['emails[type eq "home" and value co "@example.com"]', false],
    ['emails[type eq "work"].value eq "bjensen@example.com"', true],
    ['emails[type eq "home"].value eq "bjensen@example.com"', false],
    [`${ENTERPRISE}:department eq "tour operations"`, true],
    ['manager eq "26118915"', true],
    ["title eq null", true],
    ["title ne null", false],
    ['title ne "Dr"', true],
    ['active eq "True"', true],
    ["active eq false", false],
    ['userName ew ".com"', true],
    [String.raw`userName eq "bjensen\u0040example.com"`, true],
  ])("%s is %s", (filter, expected) => {
    expect(matches(filter)).toBe(expected);
  });

  it("bind and tighter than or", () => {
    expect(parseScimFilter("active eq true or title pr and nickName pr")).toMatchObject({
      kind: "or",
      filters: [{ kind: "compare" }, { kind: "and" }],
    });
    expect(parseScimFilter("(active eq true or title pr) and nickName pr")).toMatchObject({ kind: "and" });
  });

  it("are paths of operations, too", () => {
    expect(parseValuePath("name.familyName")).toEqual({
      path: "name.familyName",
      filter: undefined,
      sub: undefined,
    });
    expect(parseValuePath('emails[type eq "work"].value')).toEqual({
      path: "emails",
      filter: { kind: "compare", path: "type", operator: "eq", value: "work" },
      sub: "value",
    });
    for (const path of [
      "",
      "a b",
      'emails[type eq "work"',
      "emails]",
      'emails[type eq "work"].',
      'userName eq "x"',
    ])
      expect(() => parseValuePath(path)).toThrow(ScimFilterError);
  });

  it.each([
    "",
    " ",
    "userName",
    "userName eq",
    'userName eq "x" and',
    'and userName eq "x"',
    '(userName eq "x"',
    'userName eq "x")',
    "userName eq 'x'",
    String.raw`userName eq "\x"`,
    'userName eq "x" userName eq "y"',
    "not userName pr",
    "userName.value.x pr",
    'userName[value eq "x"]',
    'shoes eq "x"',
    'emails[shoes eq "x"]',
    'emails[type[value eq "x"]]',
    "userName eq 1e",
    "1 eq 1",
    '"userName" eq "x"',
    "userName pr;",
  ])("reject %j", (filter) => {
    expect(() => matches(filter)).toThrow(ScimFilterError);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "name.__proto__", "emails.constructor"])(
    "know no attribute %s",
    (name) => {
      expect(() => matches(`${name} pr`)).toThrow(ScimFilterError);
      expect(() => matches(`emails[${name} pr]`)).toThrow(ScimFilterError);
    },
  );

  it("are limited in length and nesting", () => {
    const nested = (depth: number) => `${"(".repeat(depth)}active eq true${")".repeat(depth)}`;
    expect(matches(nested(MAX_FILTER_DEPTH))).toBe(true);
    expect(() => matches(nested(MAX_FILTER_DEPTH + 1))).toThrow(/nested/);
    const brackets = `${"emails[".repeat(MAX_FILTER_DEPTH + 1)}type pr${"]".repeat(MAX_FILTER_DEPTH + 1)}`;
    expect(() => matches(brackets)).toThrow(/nested/);
    expect(() => matches("a".repeat(MAX_FILTER_LENGTH + 1))).toThrow(/characters/);
  });

  it("of the greatest length take milliseconds, whatever their text", () => {
    for (const part of [
      "active eq true or ",
      '"',
      '\\"',
      "(",
      "a.",
      "not (",
      " ",
      "-1",
      "1e1",
      ".a",
      "[",
      "é",
    ]) {
      const text = `active eq true or ${part.repeat(MAX_FILTER_LENGTH)}`.slice(0, MAX_FILTER_LENGTH);
      const start = cpuMs();
      expect(() => parseScimFilter(text)).toThrow(ScimFilterError);
      expect(cpuMs() - start).toBeLessThan(500);
    }
  });

  it("are read as they are written, whatever their case and blanks", () => {
    fc.assert(
      fc.property(filters, fc.infiniteStream(fc.integer({ min: 0, max: 2 })), (filter, styles) => {
        expect(parseScimFilter(written(filter, styles))).toEqual(filter);
      }),
    );
  });

  it("never fail in another way than by their error", () => {
    const words = ["userName", "emails", "eq", "and", "or", "not", "pr", ".value", '"x"', "1", "null"];
    const pieces = fc.constantFrom(...words, "(", ")", "[", "]", '"', " ");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((parts) => parts.join(" ")),
        ),
        (text) => {
          expect(["none", "ScimFilterError"]).toContain(failureOf(text));
        },
      ),
    );
  });
});

/** The name of the error. */
function failureOf(filter: string): string {
  try {
    matches(filter);
    return "none";
  } catch (error) {
    return (error as Error).name;
  }
}

const operator = fc.constantFrom<CompareOperator>("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le");
const value = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer({ min: -1000, max: 1000 }));
const path = fc.constantFrom("userName", "name.familyName", "members.$ref", `${ENTERPRISE}:department`);
const compare = fc.record({ kind: fc.constant("compare" as const), path, operator, value });
const present = fc.record({ kind: fc.constant("present" as const), path });

/** As the parser makes them: no list of terms within one of the same kind, and none of one term. */
const { filters } = fc.letrec<{ filters: Filter; term: Filter }>((tie) => ({
  filters: fc.oneof(
    { maxDepth: 4 },
    tie("term"),
    fc.record({
      kind: fc.constantFrom("and", "or"),
      filters: fc.array(tie("term"), { minLength: 2, maxLength: 4 }),
    }) as fc.Arbitrary<Filter>,
  ),
  term: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    compare as fc.Arbitrary<Filter>,
    present,
    fc.record({ kind: fc.constant("not" as const), filter: tie("filters") }) as fc.Arbitrary<Filter>,
    fc.record({
      kind: fc.constant("match" as const),
      path: fc.constant("emails"),
      filter: tie("filters"),
    }) as fc.Arbitrary<Filter>,
  ),
}));

/** A filter as text. @param styles Choose case and blanks. */
function written(filter: Filter, styles: Iterable<number>): string {
  const source = styles[Symbol.iterator]();
  const style = () => Number(source.next().value);
  const word = (text: string) =>
    [text, text.toUpperCase(), text.replace(/^./, (first) => first.toUpperCase())][style()] ?? text;
  const blank = () => " ".repeat(1 + style());
  const write = (each: Filter): string => {
    if (each.kind === "and" || each.kind === "or")
      return each.filters.map(write).join(blank() + word(each.kind) + blank());
    if (each.kind === "not") return `${word("not")}${blank()}(${write(each.filter)})`;
    if (each.kind === "match") return `${each.path}[${write(each.filter)}]`;
    if (each.kind === "present") return `${each.path}${blank()}${word("pr")}`;
    return `${each.path}${blank()}${word(each.operator)}${blank()}${JSON.stringify(each.value)}`;
  };
  return write(filter);
}
