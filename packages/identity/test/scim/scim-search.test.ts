/** Searches that no index answers: the database looks for the texts of a filter, and finds no other users than the filter. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { matchesFilter } from "../../src/scim/filter/filter-evaluation.js";
import { parseScimFilter } from "../../src/scim/filter/filter-parser.js";
import { storedTextsOf } from "../../src/scim/filter/stored-texts.js";
import { USER_TYPE } from "../../src/scim/schema/scim-schemas.js";
import { databases } from "../databases.js";
import { ENTERPRISE, ERROR, scimServer, type ScimServer } from "./scim-server.js";

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
];

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases);
  for (const [number, value] of ADDRESSES.entries())
    await service.pushUser(`user-${number}`, {
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
