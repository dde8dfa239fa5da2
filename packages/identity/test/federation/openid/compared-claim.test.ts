import { expect, it } from "vitest";

import { comparedClaim } from "../../../src/federation/protocols/openid/claims.js";

it.each([
  ["iss", "issuer"],
  ["aud", "audience"],
  ["azp", "audience"],
])("a comparison shows the value of %s, which identifies a service", (claim, check) => {
  expect(comparedClaim(claim, "received", ["one", "other"])).toEqual({
    check,
    received: "received",
    expected: "one, other",
  });
});

it.each([
  ["nonce", "request"],
  ["sub", "claims"],
  ["email", "claims"],
])("a comparison has no value of %s, which is a user's or a secret", (claim, check) => {
  expect(comparedClaim(claim, "received", "expected")).toEqual({ check });
});
