import { describe, expect, it } from "vitest";

import { hasPassword, parseSourceAddress } from "../../../src/import/source/source-address.js";

describe("addresses of Keystone's database", () => {
  // As in `[database] connection` of keystone.conf.
  it.each([
    ["mysql+pymysql://keystone:pw@db/keystone?charset=utf8", "mysql://keystone:pw@db/keystone?charset=utf8"],
    ["mariadb://keystone@db:3307/keystone", "mysql://keystone@db:3307/keystone"],
    ["postgresql+psycopg2://keystone@db/keystone", "postgres://keystone@db/keystone"],
    ["postgres://keystone@db/keystone\n", "postgres://keystone@db/keystone"],
  ])("%s", (text, url) => {
    expect(parseSourceAddress(text).url).toBe(url);
  });

  it.each(["sqlite:////var/lib/keystone/keystone.db", "keystone", "mysql://", "oracle://u:secret@db/k"])(
    "does not take %s, and does not quote it",
    (text) => {
      expect(() => parseSourceAddress(text)).toThrow(/^The address of Keystone's database is not mysql:/);
      expect(() => parseSourceAddress(text)).not.toThrow(/secret/);
    },
  );

  it.each([
    ["mysql://keystone:pw@db/keystone", true],
    ["mysql+pymysql://keystone:p%40w@db/keystone", true],
    ["postgres://db/keystone?user=k&password=pw", true],
    ["mysql://keystone@db:3306/keystone", false],
    ["postgres://db/keystone", false],
  ])("%s has a password: %s", (text, expected) => {
    expect(hasPassword(text)).toBe(expected);
  });
});
