/** Searches that no index answers: the database looks for the texts of a filter, and finds no other users than the filter. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { matchesFilter } from "../../src/scim/filter/filter-evaluation.js";
import { parseScimFilter } from "../../src/scim/filter/filter-parser.js";
import { storedTextsOf } from "../../src/scim/filter/stored-texts.js";
import { USER_TYPE } from "../../src/scim/schema/scim-schemas.js";
import { databases } from "../databases.js";
import { ENTERPRISE, ERROR, scimServer, USER, type ScimServer } from "./scim-server.js";

/** The Kelvin sign, which is a k in lower case. */
const KELVIN = "\u212A";
const ADDRESSES = [
  "Karl@Example.org",
  `${KELVIN}arl@example.org`,
  "a%b@x",
  "a_b@x",
  "axb@x",
  "a!b@x",
  'a"b@x',
  "é@x",
  "a\u037Eb@x",
  "café@x",
];
/** Names other than `user-N`. */
const NAMES: Readonly<Record<string, string>> = { "café@x": "Café" };

/** Characters that texts, patterns or JSON treat specially, and pairs that differ by case alone. */
const UNITS = [
  "a",
  "A",
  "k",
  "K",
  KELVIN,
  "s",
  "ſ",
  "i",
  "I",
  "İ",
  "ı",
  "é",
  "É",
  "ß",
  "5",
  "%",
  "_",
  "!",
  '"',
  "\\",
  "/",
  "'",
  " ",
  "[",
  "😀",
];

const escaped = (unit: string) =>
  unit === "/"
    ? "\\/"
    : unit
        .split("")
        .map((code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases);
  for (const [number, value] of ADDRESSES.entries())
    await service.pushUser(NAMES[value] ?? `user-${number}`, {
      emails: [
        { type: "work", value, primary: true },
        { type: "home", value: `home-${number}@x` },
      ],
      [ENTERPRISE]: { department: number < 2 ? "Tours" : "Sales" },
    });
});
afterAll(() => service.close());

async function addressesOf(filter: string): Promise<string[]> {
  const { body } = await service.push("GET", `/Users?filter=${encodeURIComponent(filter)}`);
  return body.Resources.map(({ emails }: { emails: { value: string }[] }) => emails[0]?.value).toSorted();
}

describe(`searches on ${databases.name}`, () => {
  it.each([
    ['emails[type eq "work"].value eq "karl@example.org"', ["Karl@Example.org", `${KELVIN}arl@example.org`]],
    ['emails.value eq "KARL@EXAMPLE.ORG"', ["Karl@Example.org", `${KELVIN}arl@example.org`]],
    [`emails eq "${KELVIN}arl@example.org"`, ["Karl@Example.org", `${KELVIN}arl@example.org`]],
    ['emails[type eq "home"].value eq "karl@example.org"', []],
    ['emails[type eq "home" and value eq "home-2@x"]', ["a%b@x"]],
    ['emails.value eq "a%b@x"', ["a%b@x"]],
    ['emails.value eq "a_b@x"', ["a_b@x"]],
    ['emails.value eq "a!b@x"', ["a!b@x"]],
    ['emails.value eq "a\\"b@x"', ['a"b@x']],
    ['emails.value eq "É@x"', ["é@x"]],
    [
      'department eq "tours" and emails.value eq "karl@example.org"',
      ["Karl@Example.org", `${KELVIN}arl@example.org`],
    ],
    ['department eq "sales" and emails.value eq "karl@example.org"', []],
    ['emails.value eq "a_b@x" or emails.value eq "axb@x"', ["a_b@x", "axb@x"]],
    // As names are found by their index: canonically equivalent texts are equal.
    ['emails.value eq "e\u0301@x"', ["é@x"]],
    ['emails.value eq "e\u0301@x" or userName eq "nobody"', ["é@x"]],
    ['userName eq "CAFE\u0301" or userName eq "nobody"', ["café@x"]],
    ['not (userName ne "cafe\u0301")', ["café@x"]],
    ['emails.value eq "a;b@x"', ["a\u037Eb@x"]],
    ['not (department eq "sales")', ["Karl@Example.org", `${KELVIN}arl@example.org`]],
  ])("find %s", async (filter, found) => {
    expect(await addressesOf(filter)).toEqual(found.toSorted());
  });

  it("report an unknown attribute also where no user is compared", async () => {
    const filter = encodeURIComponent('emails.value eq "nobody@x" and bogus eq "1"');
    expect(await service.push("GET", `/Users?filter=${filter}`)).toMatchObject({
      status: 400,
      body: { schemas: [ERROR], scimType: "invalidFilter" },
    });
  });

  it("find the users that the filter matches among all, whatever texts they have", async () => {
    const text = fc.string({ unit: fc.constantFrom(...UNITS), minLength: 1, maxLength: 5 });
    const users = fc.sample(
      fc.record({
        title: text,
        displayName: text,
        name: fc.record({ familyName: text, givenName: text }),
        emails: fc.array(
          fc.record({ value: text, type: fc.constantFrom("work", "home"), primary: fc.boolean() }),
          { maxLength: 3 },
        ),
        [ENTERPRISE]: fc.record({ department: text }),
      }),
      { numRuns: 24, seed: 1 },
    );
    const secret = await service.addProvider("property");
    const asProvider = { provider: "property", secret };
    for (const [number, user] of users.entries()) {
      const body = { schemas: [USER], userName: `property-${number}`, ...user };
      const { status } = await service.push("POST", "/Users", body, asProvider);
      expect(status).toBe(201);
    }
    const all = (await service.push("GET", "/Users?count=100", undefined, asProvider)).body.Resources;
    expect(all).toHaveLength(24);
    // What a user has, at its place, in another case or escaped in another way.
    const known = fc
      .constantFrom(
        ...users.flatMap(({ title, name, [ENTERPRISE]: { department } }) => [
          ["title", title] as const,
          ["name.familyName", name.familyName] as const,
          ["department", department] as const,
        ]),
        ...users
          .flatMap(({ emails }) => emails)
          .flatMap(({ type, value }) => [
            [`emails[type eq "${type}"].value`, value] as const,
            ["emails", value] as const,
          ]),
      )
      .chain(([path, value]) =>
        fc
          .constantFrom(
            ...[value, value.toUpperCase(), value.toLowerCase()].map((each) => JSON.stringify(each)),
            `"${Array.from(value, escaped).join("")}"`,
          )
          .map((wanted) => `${path} eq ${wanted}`),
      );
    const wanted = fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.constantFrom("5", "true", "null", '"5"', '"true"', '"k"'),
    );
    const path = fc.constantFrom("title", "displayName", "emails.value", "emails.primary", "name");
    const operator = fc.constantFrom("eq", "ne", "co", "sw", "ew");
    const any = fc.tuple(path, operator, wanted).map((parts) => parts.join(" "));
    const filter = fc.oneof(
      { weight: 4, arbitrary: known },
      any,
      fc.tuple(known, fc.constantFrom("and", "or"), any).map((parts) => parts.join(" ")),
      known.map((each) => `not (${each})`),
      fc.array(known, { minLength: 2, maxLength: 6 }).map((each) => each.join(" and ")),
    );
    let matched = 0;
    for (const each of fc.sample(filter, { numRuns: 60, seed: 2 })) {
      const parsed = parseScimFilter(each);
      const expected = all.filter((user: Record<string, unknown>) => matchesFilter(parsed, user, USER_TYPE));
      matched += expected.length > 0 && expected.length < 24 ? 1 : 0;
      const found = await service.push(
        "GET",
        `/Users?count=100&filter=${encodeURIComponent(each)}`,
        undefined,
        asProvider,
      );
      expect([each, found.status, found.body.totalResults]).toEqual([each, 200, expected.length]);
      expect(found.body.Resources).toEqual(expected);
    }
    // Filters tell users apart.
    expect(matched).toBeGreaterThan(20);
  });

  it("look for few texts, with few wildcards: a filter takes no more than the square of its length", async () => {
    const filter = parseScimFilter(
      ["a", "bb", "ccc", "dddd", "dddd"].map((value) => `emails eq "${value}"`).join(" and "),
    );
    expect(storedTextsOf(filter, USER_TYPE)).toEqual(['"dddd"', '"ccc"', '"bb"']);
    const ks = "k".repeat(1000);
    await service.pushUser("many-ks", { title: ks, emails: [{ value: "k".repeat(1000) }] });
    expect(await addressesOf(`title eq "${ks}"`)).toEqual([ks]);
    expect(await addressesOf(`title eq "${ks.slice(1)}"`)).toEqual([]);
    expect(await addressesOf(`title eq "${KELVIN}${ks.slice(1)}"`)).toEqual([ks]);
  });

  it("look for texts that each matching user has", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "k", "K", KELVIN, "ſ", "S", '"', "\\", "%", "é", "\u0130"),
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, text, text, (value, title, wanted) => {
        const stored = { title, emails: [{ value, type: "work" }], name: { givenName: title } };
        for (const path of [
          "title",
          "emails",
          "emails.value",
          "name.givenName",
          'emails[type eq "work"].value',
        ]) {
          const filter = parseScimFilter(`${path} eq ${JSON.stringify(wanted)}`);
          if (!matchesFilter(filter, stored, USER_TYPE)) continue;
          for (const part of storedTextsOf(filter, USER_TYPE))
            expect(JSON.stringify(stored).toLowerCase()).toContain(part.toLowerCase());
        }
      }),
    );
  });
});
