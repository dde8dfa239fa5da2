import { describe, expect, it } from "vitest";

import { readBootstrapOptions } from "../../src/commands/bootstrap/bootstrap-command.js";

const read = readBootstrapOptions;

describe("the options of a bootstrap", () => {
  it("are admin, admin, admin and keystone if none is given, as for keystone-manage", () => {
    expect(read({}, {})).toEqual({
      settings: {
        username: "admin",
        projectName: "admin",
        roleName: "admin",
        serviceName: "keystone",
        regionId: undefined,
        urls: {},
        hasImmutableRoles: true,
      },
      password: undefined,
      isGiven: false,
    });
  });

  it("are read by the names of commander", () => {
    const options = {
      bootstrapPassword: " secret ",
      bootstrapUsername: "root",
      bootstrapProjectName: "service",
      bootstrapRoleName: "cloudadmin",
      bootstrapServiceName: "identity",
      bootstrapAdminUrl: "http://a/",
      bootstrapPublicUrl: "https://p/v3",
      bootstrapInternalUrl: "http://i:5000/$(tenant_id)s",
      bootstrapRegionId: "regionOne",
      immutableRoles: false,
    };
    expect(read({}, options)).toEqual({
      settings: {
        username: "root",
        projectName: "service",
        roleName: "cloudadmin",
        serviceName: "identity",
        regionId: "regionOne",
        urls: { admin: "http://a/", public: "https://p/v3", internal: "http://i:5000/$(tenant_id)s" },
        hasImmutableRoles: false,
      },
      password: " secret ",
      isGiven: true,
    });
  });

  it("count after their variables, as for keystone-manage, and empty ones for none", () => {
    const env = {
      OS_BOOTSTRAP_USERNAME: "by variable",
      OS_BOOTSTRAP_PASSWORD: "",
      OS_BOOTSTRAP_REGION_ID: "r",
    };
    const { settings, password } = read(env, { bootstrapUsername: "by option", bootstrapPassword: "p" });
    expect([settings.username, password, settings.regionId]).toEqual(["by variable", "p", "r"]);
  });

  it.each([
    [
      { bootstrapPublicUrl: "example.org" },
      '--bootstrap-public-url: "example.org" is not a URL that begins with',
    ],
    [{ bootstrapAdminUrl: "ftp://x/" }, '--bootstrap-admin-url: "ftp://x/" is not'],
    [{ bootstrapInternalUrl: "http://x/$(nothing)s" }, "--bootstrap-internal-url: "],
    [{ bootstrapUsername: "  " }, "--bootstrap-username: is blank"],
    [{ bootstrapProjectName: "p".repeat(65) }, "--bootstrap-project-name: has more than 64 characters"],
    [{ bootstrapRegionId: "r".repeat(256) }, "--bootstrap-region-id: has more than 255 characters"],
  ])("are refused: %j", (options, message) => {
    expect(() => read({}, options)).toThrow(message);
  });

  it("are refused by the name of the variable where that is wrong", () => {
    expect(() => read({ OS_BOOTSTRAP_PUBLIC_URL: "x" }, {})).toThrow("OS_BOOTSTRAP_PUBLIC_URL: ");
  });
});
