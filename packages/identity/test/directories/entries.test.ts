import { describe, expect, it } from "vitest";

import { readDirectorySettings } from "../../src/directories/directory-settings.js";
import type { DirectoryEntry } from "../../src/directories/directory.js";
import { readUser } from "../../src/directories/entries.js";
import { idFilter } from "../../src/directories/entry-filters.js";

function entry(dn: string, values: Readonly<Record<string, (string | Buffer)[]>>): DirectoryEntry {
  const byName = new Map(Object.entries(values).map(([name, list]) => [name.toLowerCase(), list]));
  return { dn, attributes: [...byName.keys()], valuesOf: (name) => byName.get(name.toLowerCase()) ?? [] };
}

function userOf(
  ldap: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, (string | Buffer)[]>>,
  dn = "uid=a,dc=test",
) {
  const settings = readDirectorySettings({
    ldap: { user_id_attribute: "uid", user_name_attribute: "uid", ...ldap },
    readPassword: () => undefined,
  });
  return readUser(entry(dn, values), settings.users, () => false);
}

describe("the entry of a user", () => {
  it("has the first value of each attribute, as it is spelled", () => {
    const found = userOf(
      { user_name_attribute: "cn" },
      { uid: ["Ann"], cn: [" Ann  Lee ", "x"], mail: ["a@x", "b@x"] },
    );
    expect(found).toMatchObject({ localId: "Ann", name: " Ann  Lee ", email: "a@x", enabled: true });
  });

  it("has the id of its DN, if there are several", () => {
    expect(userOf({}, { uid: ["b", "a"] })).toMatchObject({ localId: "a" });
  });

  it("is none without an id, or with a blank name", () => {
    expect(userOf({}, { cn: ["x"] })).toBeUndefined();
    expect(userOf({ user_name_attribute: "cn" }, { uid: ["a"], cn: ["  "] })).toBeUndefined();
  });

  it("leaves out what is ignored", () => {
    const found = userOf(
      { user_attribute_ignore: ["email", "enabled"] },
      { uid: ["a"], mail: ["m"], enabled: ["FALSE"] },
    );
    expect(found).toMatchObject({ email: undefined, enabled: true });
  });

  it.each([
    [{}, {}, true],
    [{}, { enabled: ["TRUE"] }, true],
    [{}, { enabled: ["active"] }, false],
    [{ user_enabled_default: "False" }, {}, false],
    [{ user_enabled_invert: true, user_enabled_default: "False" }, {}, true],
    [{ user_enabled_invert: true, user_enabled_default: "False" }, { enabled: ["TRUE"] }, false],
    [{ user_enabled_mask: 2, user_enabled_default: "512" }, { enabled: ["514"] }, false],
    [{ user_enabled_mask: 2, user_enabled_default: "512" }, { enabled: ["66048"] }, true],
    [{ user_enabled_mask: 2, user_enabled_default: "512" }, {}, true],
    [{ user_enabled_mask: 2, user_enabled_default: "512" }, { enabled: ["x"] }, false],
    [{ user_enabled_emulation: true }, {}, false],
  ])("with %j and %j is enabled: %j", (ldap, values, enabled) => {
    expect(userOf(ldap, { uid: ["a"], ...values })).toMatchObject({ enabled });
  });

  it("has a GUID as Active Directory writes it, also if its bytes are text", () => {
    const bytes = Buffer.from("00c3b2a1f011aa409bbb00ff00ee80c1", "hex");
    const ldap = { user_id_attribute: "objectGUID", user_name_attribute: "cn" };
    expect(userOf(ldap, { objectGUID: [bytes], cn: ["x"] })).toMatchObject({
      localId: "a1b2c300-11f0-40aa-9bbb-00ff00ee80c1",
    });
    expect(userOf(ldap, { objectGUID: ["0123456789abcdef"], cn: ["x"] })).toMatchObject({
      localId: "33323130-3534-3736-3839-616263646566",
    });
    const { users } = readDirectorySettings({ ldap, readPassword: () => undefined });
    expect(idFilter(users, "a1b2c300-11f0-40aa-9bbb-00ff00ee80c1")).toMatchObject({ value: bytes });
  });
});
