/** The rules that clicks on a test login make. */
import { describe, expect, it } from "vitest";

import {
  clicksOf,
  faultsOfRules,
  rulesOf,
  shownAttributes,
  withGroup,
  withoutMissing,
  withRequired,
  withUse,
  type ClickedRules,
} from "../../src/pages/providers/setup/clicked-rules.ts";

const NONE: ClickedRules = { uses: {}, required: [], groups: [] };
const STAFF = { attribute: "OIDC-groups", value: "staff" };
const USER = withUse(withUse(NONE, "user_id", "OIDC-sub"), "user_name", "OIDC-name");
const STABLE = { isTransient: false, lint: undefined };

describe("clicks on attributes", () => {
  it("make the rule of the user, with one placeholder for an attribute of two uses", () => {
    const rules = rulesOf(withUse(withUse(USER, "user_name", "OIDC-email"), "email", "OIDC-email"), "d");
    expect(rules).toEqual([
      {
        remote: [{ type: "OIDC-sub" }, { type: "OIDC-email" }],
        local: [{ user: { id: "{0}", name: "{1}", email: "{1}" } }],
      },
    ]);
  });

  it("make groups of all values, in the domain, and groups of one value", () => {
    const clicked = withGroup(withUse(USER, "groups", "OIDC-groups"), STAFF, { id: "g1", name: "people" });
    expect(rulesOf(clicked, "d").slice(1)).toEqual([
      { remote: [{ type: "OIDC-groups" }], local: [{ groups: "{0}", domain: { id: "d" } }] },
      { remote: [{ type: "OIDC-groups", any_one_of: ["staff"] }], local: [{ group: { id: "g1" } }] },
    ]);
  });

  it("require values in every rule: those of one attribute are alternatives", () => {
    const hd = (value: string) => ({ attribute: "OIDC-hd", value });
    const clicked = withRequired(
      withRequired(withUse(USER, "groups", "OIDC-groups"), hd("a.org")),
      hd("b.org"),
    );
    for (const { remote } of rulesOf(clicked, "d"))
      expect(remote.at(-1)).toEqual({ type: "OIDC-hd", any_one_of: ["a.org", "b.org"] });
  });

  it("are taken back by another click", () => {
    expect(withUse(withUse(NONE, "email", "MAIL"), "email", "MAIL")).toEqual(NONE);
    expect(withRequired(withRequired(NONE, STAFF), STAFF)).toEqual(NONE);
    expect(withGroup(withGroup(NONE, STAFF, { id: "g", name: "n" }), STAFF, undefined)).toEqual(NONE);
  });

  it("are offered for each claim once, and not for claims of one token alone", () => {
    const came = {
      "OIDC-sub": "1",
      HTTP_OIDC_SUB: "1",
      "OIDC-exp": "9",
      HTTP_OIDC_EXP: "9",
      HTTP_X: "2",
      A: null,
    };
    expect(shownAttributes(came)).toEqual([
      ["OIDC-sub", "1"],
      ["HTTP_X", "2"],
    ]);
  });

  it("leave out what did not come", () => {
    expect(withoutMissing(USER, { "OIDC-sub": "1" }).uses).toEqual({ user_id: "OIDC-sub" });
  });

  it("are found again in the rules that they made, and not in others", () => {
    const clicked = withRequired(
      withGroup(withUse(USER, "groups", "OIDC-roles"), STAFF, { id: "g1", name: "g1" }),
      { attribute: "OIDC-hd", value: "a.org" },
    );
    expect(clicksOf(rulesOf(clicked, "d"), "d")).toEqual(clicked);
    const other = [{ remote: [{ type: "A", whitelist: ["x"] }], local: [{ user: { name: "{0}" } }] }];
    for (const rules of [other, [], [{}], [1], [{ remote: 1, local: null }]])
      expect(clicksOf(rules, "d")).toBeUndefined();
  });
});

describe("faults of rules", () => {
  it("name what has to be clicked", () => {
    expect(faultsOfRules(NONE, [], STABLE)).toMatchObject([{ isConfirmable: false }]);
    const requires = [{ attribute: "OIDC-hd", reason: "Strangers could log in." }];
    expect(faultsOfRules(USER, requires, STABLE)).toEqual([
      {
        text: "Click the value of OIDC-hd that users have to have. Strangers could log in.",
        isConfirmable: false,
      },
    ]);
    const required = withRequired(USER, { attribute: "OIDC-hd", value: "a.org" });
    expect(faultsOfRules(required, requires, STABLE)).toEqual([]);
  });

  it("have a transient NameID, and what lint warns of, confirmed", () => {
    const transient = { isTransient: true, lint: undefined };
    const byNameId = withUse(NONE, "user_name", "NAME_ID");
    expect(faultsOfRules(byNameId, [], transient)).toMatchObject([{ isConfirmable: true }]);
    expect(faultsOfRules(withUse(byNameId, "user_id", "uid"), [], transient)).toEqual([]);
    expect(faultsOfRules(byNameId, [], { isTransient: false, lint: "users are told apart by it" })).toEqual([
      { text: "Users are told apart by it.", isConfirmable: true },
    ]);
  });
});
