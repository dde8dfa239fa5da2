import { expect, it } from "vitest";

import { nextMethods } from "../../src/pages/sign-in/next-methods.ts";

it.each([
  [["password"], [["password", "totp"]], ["totp"]],
  [
    ["password"],
    [
      ["password", "totp", "token"],
      ["password", "token"],
    ],
    ["token", "totp"],
  ],
  [["openid"], [["password", "totp"]], ["password", "totp"]],
])("after %j with the rules %j come %j", (methods, rules, expected) => {
  const user = { id: "u", name: "ada", domain: { id: "d", name: "acme" } };
  expect(nextMethods({ receipt: { methods, user }, required_auth_methods: rules })).toEqual(expected);
});
