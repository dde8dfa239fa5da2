import { describe, expect, it } from "vitest";

import { optionFault, readLdapOptions } from "../../src/domain-config/ldap-options.js";

describe("an option of a directory", () => {
  it.each([
    ["url", "ldaps://a.example, ldap://[::1]:3890"],
    ["page_size", "100"],
    ["use_tls", "True"],
    ["query_scope", "SUB"],
    ["user_filter", "(!(employeeType=robot))"],
    ["user_filter", ""],
    ["user", null],
    ["user_attribute_ignore", "a, b"],
    ["pool_retry_delay", 0.5],
    ["pool_connection_timeout", -1],
  ])("%s may be %j", (name, value) => {
    expect(optionFault(name, value)).toBeUndefined();
  });

  it.each([
    ["url", "http://a.example"],
    ["url", "ldapi://%2Frun"],
    ["url", ""],
    ["url", ["ldap://a"]],
    ["page_size", "many"],
    ["page_size", -1],
    ["page_size", 1.5],
    ["page_size", null],
    ["use_tls", "maybe"],
    ["query_scope", "deep"],
    ["user_filter", "uid=*"],
    ["user_filter", "((("],
    ["user_tree_dn", 5],
    ["user_attribute_ignore", [1]],
    ["tls_req_cert", "sometimes"],
    ["pool_size", 0],
    ["password", 5],
  ])("%s may not be %j", (name, value) => {
    expect(optionFault(name, value)).toMatch(/^expected/);
  });

  it("has the type of its default, and the default if it is not set", () => {
    expect(
      readLdapOptions({
        page_size: "100",
        use_tls: "yes",
        query_scope: "SUB",
        user_attribute_ignore: "a, b",
      }),
    ).toMatchObject({
      page_size: 100,
      use_tls: true,
      query_scope: "sub",
      user_attribute_ignore: ["a", "b"],
      url: "ldap://localhost",
      user_name_attribute: "sn",
      group_ad_nesting: false,
    });
  });
});
