import { describe, expect, it } from "vitest";

import { parseQuery } from "../../src/platform/http/query.js";
import { readExpiryFilters } from "../../src/users/user-filters.js";

function read(value: string) {
  return readExpiryFilters(parseQuery(`password_expires_at=${encodeURIComponent(value)}`)).map(
    ({ operator, moment }) => `${operator} ${new Date(moment).toISOString()}`,
  );
}

describe("password_expires_at", () => {
  it.each([
    ["lt:2026-12-31T23:59:58Z", "< 2026-12-31T23:59:58.000Z"],
    ["lte:2026-12-31T23:59:58.123456Z", "<= 2026-12-31T23:59:58.123Z"],
    ["gt:2026-12-31T23:59:58", "> 2026-12-31T23:59:58.000Z"],
    ["gte:20261231T235958+0130", ">= 2026-12-31T22:29:58.000Z"],
    ["neq:2026-12-31 23:59:58-02", "<> 2027-01-01T01:59:58.000Z"],
    ["eq:2026-12", "= 2026-12-01T00:00:00.000Z"],
    ["2026", "= 2026-01-01T00:00:00.000Z"],
    ["2026-12-31T23:59:58Z", "= 2026-12-31T23:59:58.000Z"],
  ])("%s", (value, expected) => {
    expect(read(value)).toEqual([expected]);
  });

  it("may be asked for several times", () => {
    expect(
      readExpiryFilters(parseQuery("password_expires_at=gt:2026&password_expires_at=lt:2027")),
    ).toHaveLength(2);
    expect(readExpiryFilters(parseQuery(""))).toEqual([]);
  });

  it.each(["", "lt:", "lt:garbage", "2026-02-30", "2026-13", "2026-11-21T25:00:00Z", "foo:bar"])(
    "is a moment, which this is not: %s",
    (value) => {
      expect(() => read(value)).toThrow("Timestamp not in expected format.");
    },
  );

  it.each(["LT:2026", "xx:2026", "foo:2026", "to:2026"])(
    "has an operator, which this is not: %s",
    (value) => {
      expect(() => read(value)).toThrow(`The given operator ${value.split(":")[0]} is not valid.`);
    },
  );
});
