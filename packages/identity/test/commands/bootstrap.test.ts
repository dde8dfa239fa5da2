/** Bootstrap with the options of `keystone-manage bootstrap`, on an empty database and again later. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readBootstrapOptions } from "../../src/commands/bootstrap/bootstrap-command.js";
import { runBootstrap } from "../../src/commands/bootstrap/run-bootstrap.js";
import { readConfig, type Config } from "../../src/config.js";
import { openService } from "../../src/open-service.js";
import { systemClock as clock } from "../../src/platform/clock.js";
import { newId } from "../../src/platform/ids.js";
import { databases, type TestDatabase } from "../databases.js";

const URLS = {
  OS_BOOTSTRAP_PUBLIC_URL: "https://id.example.org/v3",
  OS_BOOTSTRAP_INTERNAL_URL: "http://id.internal:5000/v3",
  OS_BOOTSTRAP_ADMIN_URL: "http://id.internal:35357/v3/",
};
const ALL = {
  OS_BOOTSTRAP_USERNAME: "root",
  OS_BOOTSTRAP_PASSWORD: "rootpw",
  OS_BOOTSTRAP_PROJECT_NAME: "service",
  OS_BOOTSTRAP_ROLE_NAME: "cloudadmin",
  OS_BOOTSTRAP_SERVICE_NAME: "identity",
  OS_BOOTSTRAP_REGION_ID: "regionOne",
  ...URLS,
};
const PAGE = { filters: [], page: { limit: undefined, marker: undefined } };

let place: TestDatabase;
let config: Config;
beforeEach(async () => {
  place = await databases.create();
  config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: "adminpw",
  });
});
afterEach(() => place.remove());

const run = (env: Record<string, string> = {}, { isReset = false, options = {} } = {}) =>
  runBootstrap(config, { isReset, requested: readBootstrapOptions(env, options) });

async function opened() {
  return openService(config, { clock, newId, publicUrl: "http://127.0.0.1:5000" });
}
type Areas = Awaited<ReturnType<typeof opened>>["areas"];

async function using<Result>(work: (areas: Areas) => Promise<Result>): Promise<Result> {
  const { areas, database } = await opened();
  try {
    return await work(areas);
  } finally {
    await database.close();
  }
}

/** What is stored, by names. */
const stored = () =>
  using(async (areas) => {
    const { endpoints, services, regions } = areas.catalog;
    const { roles, impliedRoles, assignments } = areas.roles;
    const { users } = areas.users;
    const { projects } = areas.projects;
    const names = new Map<string, string>();
    for (const role of await roles.listRoles({ ...PAGE, domainId: null })) names.set(role.id, role.name);
    const inferences = await impliedRoles.listInferences();
    const grants = [];
    for await (const slice of assignments.listGranted({}))
      for (const { actor, target, roleId } of slice) {
        const user = "userId" in actor ? (await users.getUser(actor.userId)).name : "";
        const project =
          target.kind === "project" ? (await projects.getProject(target.projectId)).name : target.kind;
        grants.push(`${user} ${names.get(roleId)} ${project}`);
      }
    return {
      regions: (await regions.list(PAGE)).map(({ id }) => id),
      services: (await services.list(PAGE)).map(({ name, type }) => `${type} ${name}`),
      endpoints: (await endpoints.list(PAGE))
        .map(({ interface: type, regionId, url }) => `${type} ${regionId} ${url}`)
        .toSorted(),
      roles: [...names.values()].toSorted(),
      implied: inferences
        .flatMap(({ prior, implied }) => implied.map(({ name }) => `${prior.name} ${name}`))
        .toSorted(),
      grants: grants.toSorted(),
    };
  });

const loginAs = (name: string, password: string) =>
  using(async ({ auth: { methods, login } }) => {
    const method = methods.find((each) => each.name === "password");
    const user = { name, domain: { id: "default" }, password };
    const proof = await method?.prove({ password: { user } } as never, { address: "127.0.0.1" } as never);
    return login(proof as never, { kind: "any" });
  }).then(
    () => true,
    () => false,
  );

const CHAIN = ["admin manager", "manager member", "member reader"];
const DEFAULT_ROLES = ["admin", "manager", "member", "reader", "service"];

describe(`a bootstrap on ${databases.name}`, () => {
  it("makes without options what serve makes", async () => {
    expect(await run()).toEqual([
      "Created the domain default, the user and the project admin, the roles and the catalog.",
      "The password of the user admin is that of IDENTITY_ADMIN_PASSWORD.",
    ]);
    const url = "http://127.0.0.1:5000/v3/";
    expect(await stored()).toEqual({
      regions: ["RegionOne"],
      services: ["identity keystone"],
      endpoints: ["admin", "internal", "public"].map((type) => `${type} RegionOne ${url}`),
      roles: DEFAULT_ROLES,
      implied: CHAIN,
      grants: ["admin admin admin", "admin admin system"],
    });
  });

  it("makes the first time what the options of keystone-manage ask for", async () => {
    expect(await run(ALL)).toEqual([
      "Created the domain default, the user root and the project service, the roles and the catalog.",
      "The password of the user root is the given one.",
      "The role cloudadmin is not admin: only admin lets root administer everything.",
    ]);
    expect(await stored()).toEqual({
      regions: ["regionOne"],
      services: ["identity identity"],
      endpoints: [
        "admin regionOne http://id.internal:35357/v3/",
        "internal regionOne http://id.internal:5000/v3",
        "public regionOne https://id.example.org/v3",
      ],
      roles: [...DEFAULT_ROLES, "cloudadmin"].toSorted(),
      implied: [...CHAIN, "cloudadmin manager"].toSorted(),
      grants: ["root cloudadmin service", "root cloudadmin system"],
    });
    expect(await loginAs("root", "rootpw")).toBe(true);
    expect(await loginAs("root", "adminpw")).toBe(false);
  });

  it("changes nothing when it is run again with the same options", async () => {
    await run(ALL);
    const before = await stored();
    await run(ALL);
    await run(ALL);
    expect(await stored()).toEqual(before);
    expect(await loginAs("root", "rootpw")).toBe(true);
  });

  it("changes nothing later without options", async () => {
    await run(ALL);
    const before = await stored();
    expect(await run()).toEqual([
      "Already bootstrapped; use --reset-password to reset the administrator's password.",
    ]);
    expect(await stored()).toEqual(before);
  });

  it("changes later what differs, and leaves what is not named", async () => {
    await run({ ...URLS, OS_BOOTSTRAP_REGION_ID: "regionOne" });
    const lines = await run({
      OS_BOOTSTRAP_PUBLIC_URL: "https://new.example.org/v3",
      OS_BOOTSTRAP_SERVICE_NAME: "other",
      OS_BOOTSTRAP_USERNAME: "second",
      OS_BOOTSTRAP_PASSWORD: "secondpw",
    });
    expect(lines).toEqual([
      "The user second is enabled, and has the role admin in the project admin and in the system.",
      "The password of the user second is the given one.",
      "The public endpoint is https://new.example.org/v3",
    ]);
    expect(await stored()).toMatchObject({
      regions: ["regionOne"],
      // As in Keystone.
      services: ["identity keystone"],
      endpoints: [
        "admin regionOne http://id.internal:35357/v3/",
        "internal regionOne http://id.internal:5000/v3",
        "public regionOne https://new.example.org/v3",
      ],
      grants: ["admin admin admin", "admin admin system", "second admin admin", "second admin system"],
    });
    expect(await loginAs("second", "secondpw")).toBe(true);
    expect(await loginAs("admin", "adminpw")).toBe(true);
  });

  it("adds endpoints in another region, and then requires the region option", async () => {
    await run();
    await run({ ...URLS, OS_BOOTSTRAP_REGION_ID: "regionTwo" });
    const { endpoints, regions } = await stored();
    expect(regions).toEqual(["RegionOne", "regionTwo"]);
    expect(endpoints).toHaveLength(6);
    await expect(run({ OS_BOOTSTRAP_ADMIN_URL: "http://x/" })).rejects.toThrow(
      "--bootstrap-region-id: is required, because several regions have endpoints of the identity service: RegionOne, regionTwo",
    );
    expect((await stored()).endpoints).toEqual(endpoints);
  });

  it("gives a user who is disabled, or has another password, the one that is given, and enables that user", async () => {
    await run();
    await using(async ({ users: { users } }) => {
      const user = await users.findUser({ name: "admin", domainId: "default" });
      await users.update(user?.id ?? "", { enabled: false });
    });
    expect(await loginAs("admin", "adminpw")).toBe(false);
    await run({ OS_BOOTSTRAP_PASSWORD: "another" });
    expect(await loginAs("admin", "another")).toBe(true);
    expect(await loginAs("admin", "adminpw")).toBe(false);
  });

  it("leaves tokens good where the password is the same, and ends them where it is another", async () => {
    await run();
    const { areas, database } = await opened();
    const user = { name: "admin", domain: { id: "default" }, password: "adminpw" };
    const method = areas.auth.methods.find(({ name }) => name === "password");
    const proof = await method?.prove({ password: { user } } as never, { address: "127.0.0.1" } as never);
    const { text } = await areas.auth.login(proof as never, { kind: "any" });
    await run({ OS_BOOTSTRAP_PASSWORD: "adminpw" });
    const read = async () => areas.tokens.tokens.read(text);
    await expect(read()).resolves.toBeDefined();
    await run({ OS_BOOTSTRAP_PASSWORD: "another" });
    await expect.poll(() => read().catch(() => undefined)).toBeUndefined();
    await database.close();
  });

  it("makes up a password for a new user where none is given anywhere, and shows it once", async () => {
    await run();
    config = { ...config, secrets: { ...config.secrets, adminPassword: undefined } };
    const lines = await run({ OS_BOOTSTRAP_USERNAME: "third" });
    const [, made = ""] = /shown only once: ([\w-]{24})$/.exec(lines[1] ?? "") ?? [];
    expect(await loginAs("third", made)).toBe(true);
    expect((await run({ OS_BOOTSTRAP_USERNAME: "third" })).join()).not.toContain("password");
    expect(await loginAs("third", made)).toBe(true);
  });

  it("grants only the named role, and adds no implications to the default roles", async () => {
    await run();
    await run({
      OS_BOOTSTRAP_USERNAME: "looker",
      OS_BOOTSTRAP_PASSWORD: "p",
      OS_BOOTSTRAP_ROLE_NAME: "reader",
    });
    const { grants, implied } = await stored();
    expect(grants.filter((each) => each.startsWith("looker"))).toEqual([
      "looker reader admin",
      "looker reader system",
    ]);
    expect(implied).toEqual(CHAIN);
  });

  it("makes roles that are not immutable where that is asked for", async () => {
    await run({}, { options: { immutableRoles: false } });
    const options = await using(async ({ roles: { roles } }) =>
      (await roles.listRoles({ ...PAGE, domainId: null })).map((role) => role.options),
    );
    expect(options).toEqual(Array.from({ length: 5 }, () => ({})));
  });

  it("resets the password of the user that is named", async () => {
    await run(ALL);
    const lines = await run(
      { OS_BOOTSTRAP_USERNAME: "root", OS_BOOTSTRAP_PASSWORD: "newpw" },
      { isReset: true },
    );
    expect(lines.slice(-2)).toEqual([
      "The user root is enabled and unlocked; all earlier tokens of the user are revoked.",
      "The password of the user root is the given one.",
    ]);
    expect(await loginAs("root", "newpw")).toBe(true);
  });
});
