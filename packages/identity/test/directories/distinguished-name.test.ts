import { describe, expect, it } from "vitest";

import { dnKey, isWithin, parseDn } from "../../src/directories/ldap/distinguished-name.js";

describe("a distinguished name", () => {
  it("is parsed with escapes, blanks, several values and object identifiers", () => {
    expect(parseDn(String.raw`cn=Smith\, Ann+uid=ann , ou = People,DC=test`)).toEqual([
      [
        { type: "cn", value: "Smith, Ann" },
        { type: "uid", value: "ann" },
      ],
      [{ type: "ou", value: "People" }],
      [{ type: "dc", value: "test" }],
    ]);
    expect(parseDn(String.raw`0.9.2342.19200300.100.1.1=j\C3\BCrgen,dc=test`)?.[0]).toEqual([
      { type: "uid", value: "jürgen" },
    ]);
    expect(parseDn(String.raw`cn=\ lead and trail\ ,dc=test`)?.[0]?.[0]?.value).toBe(" lead and trail ");
    expect(parseDn("")).toEqual([]);
  });

  it.each(["no name", "=x", "cn=x,,dc=test", "cn=x,", String.raw`cn=x\ `.trim(), "cn=#zz"])(
    "is not %s",
    (text) => {
      expect(parseDn(text)).toBeUndefined();
    },
  );

  it("is equal in any case and with other blanks, and not to another one", () => {
    expect(dnKey("UID=Ann  Lee, DC=Test")).toBe(dnKey("uid=ann lee,dc=test"));
    expect(dnKey("cn=a+uid=b,dc=test")).toBe(dnKey("uid=B+cn=A,dc=test"));
    expect(dnKey("cn=ab,dc=test")).not.toBe(dnKey("cn=a\\,b,dc=test"));
    expect(dnKey("cn=a\\,dc\\=b,dc=test")).not.toBe(dnKey("cn=a,dc=b,dc=test"));
  });

  it("is within a subtree, or directly below its root", () => {
    const base = "ou=People,dc=test";
    expect(isWithin("uid=a,OU=people, dc=TEST", { base, scope: "one" })).toBe(true);
    expect(isWithin("uid=a,ou=x,ou=people,dc=test", { base, scope: "one" })).toBe(false);
    expect(isWithin("uid=a,ou=x,ou=people,dc=test", { base, scope: "sub" })).toBe(true);
    expect(isWithin("uid=a,ou=Other,dc=test", { base, scope: "sub" })).toBe(false);
    // A suffix of the text that is none of the name.
    expect(isWithin("uid=a\\,ou=People,dc=test", { base, scope: "sub" })).toBe(false);
    expect(isWithin("", { base, scope: "sub" })).toBe(false);
  });
});
