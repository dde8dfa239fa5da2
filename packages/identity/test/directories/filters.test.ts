/** No name changes a filter: it is sent as one value, whatever it holds. */
import asn1 from "asn1";
import { FilterParser } from "ldapts";
import { describe, expect, it } from "vitest";

import {
  allOf,
  anyOf,
  contains,
  equals,
  inChain,
  isPresent,
  type Filter,
} from "../../src/directories/ldap/filter-objects.js";
import { parseFilter } from "../../src/domain-config/ldap-filter.js";
import { hostileNames } from "./hostile-names.js";

/** The filter that a server reads of what is sent. */
function asSent(filter: Filter): Filter {
  const writer = new asn1.BerWriter();
  filter.write(writer);
  return FilterParser.parse(new asn1.BerReader(writer.buffer));
}

describe("a filter", () => {
  it.each(hostileNames().map((name) => [JSON.stringify(name).slice(0, 60), name]))(
    "holds the name %s as it is",
    (_, name) => {
      const sent = asSent(allOf(equals("objectClass", "person"), isPresent("uid"), equals("uid", name)));
      const [, , last, ...others] = (sent as unknown as { filters: { attribute: string; value: string }[] })
        .filters;
      expect(others).toEqual([]);
      expect(last?.attribute).toBe("uid");
      expect(last?.value).toBe(Buffer.from(name).toString("utf8"));
      // An empty substring is not sent.
      const inside = name === "" ? "x" : name;
      expect(asSent(contains("uid", inside, "contains"))).toMatchObject({
        attribute: "uid",
        initial: "",
        any: [Buffer.from(inside).toString("utf8")],
        final: "",
      });
    },
  );

  it("of several conditions has each of them once", () => {
    const either = anyOf([equals("uid", "a)(uid=*"), contains("cn", "*", "startswith")]);
    expect(asSent(either).toString()).toBe(String.raw`(|(uid=a\29\28uid=\2a)(cn=\2a*))`);
    expect(asSent(inChain("member", "cn=a*,dc=test")).toString()).toContain("1.2.840.113556.1.4.1941");
  });

  it.each(["uid=x", "((", "(uid=x", "(&(uid=x)", ""])("of a configuration is not %j", (text) => {
    expect(() => parseFilter(text)).toThrow(/bracket|parens/);
  });
});
