import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { bareFailure, withoutSecrets } from "../../src/io/download.js";

describe("withoutSecrets", () => {
  it.each([
    ["as it is", "wrong: a b&c", "wrong: ***"],
    ["in an address", "/xml/?password=a%20b%26c&agent=x", "/xml/?password=***&agent=x"],
    ["in a form", "password=a+b%26c", "password=***"],
    ["several times", "a b&c a b&c", "*** ***"],
  ])("takes a secret out, spelled %s", (_, text, expected) => {
    expect(withoutSecrets(text, ["a b&c"])).toBe(expected);
  });

  it("leaves a text alone where there is no secret", () => {
    expect(withoutSecrets("as it was", ["", "secret"])).toBe("as it was");
    expect(withoutSecrets("as it was", [])).toBe("as it was");
  });
});

describe("bareFailure", () => {
  it("keeps name, message and code all the way down, and nothing else", () => {
    const inner = Object.assign(new Error("bad header KEY"), { code: "HPE_INVALID", data: "<Key>KEY</Key>" });
    const outer = Object.assign(new TypeError("fetch failed", { cause: inner }), { address: "?s=KEY" });
    const bare = bareFailure(outer, ["KEY"]);
    expect(bare).toMatchObject({ name: "TypeError", message: "fetch failed" });
    expect(bare.cause).toMatchObject({ name: "Error", message: "bad header ***", code: "HPE_INVALID" });
    expect(inspect(bare, { depth: Infinity, showHidden: true })).not.toContain("KEY");
  });

  it("understands that anything can be thrown", () => {
    expect(bareFailure("no KEY", ["KEY"]).message).toBe("no ***");
  });
});
