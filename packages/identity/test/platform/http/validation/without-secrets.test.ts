import { describe, expect, it } from "vitest";

import { withoutSecrets } from "../../../../src/platform/http/validation/without-secrets.js";

describe("withoutSecrets", () => {
  it.each([
    ["s3cret", "***"],
    [12345, 0],
    [null, null],
    [true, true],
    [{ value: "s3cret" }, {}],
    [["s3cret"], []],
  ])("shows the secret %j as %j", (secret, shown) => {
    expect(withoutSecrets({ thing: { type: "a", client_secret: secret } })).toStrictEqual({
      thing: { type: "a", client_secret: shown },
    });
  });

  it("looks into the way of logging in that bears the name of a secret", () => {
    const user = { properties: { name: {}, password: {} } };
    const schema = { properties: { password: { properties: { user } } } };
    const given = { password: { user: { name: "kim", password: "s3cret", pasword: "s3cret" } } };
    expect(withoutSecrets(given, schema)).toStrictEqual({
      password: { user: { name: "kim", password: "***", pasword: "***" } },
    });
    for (const shape of ["s3cret", ["s3cret"], { user: "s3cret" }, { user: [{ name: "s3cret" }] }])
      expect(JSON.stringify(withoutSecrets({ password: shape }, schema))).not.toContain("s3cret");
  });

  it.each([undefined, null, "text", [1], { secrets_set: ["client_secret"] }])(
    "leaves %j as it is",
    (value) => {
      expect(withoutSecrets(value)).toStrictEqual(value);
    },
  );
});
