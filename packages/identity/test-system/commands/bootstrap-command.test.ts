/** `hamkit-identity bootstrap` compared with Debian's `keystone-manage bootstrap`, followed by Debian's `openstack`. */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandLine, freePort } from "../../test/command-line.js";
import { runProgram } from "../run-program.js";
import { openSqliteFile } from "../../src/platform/database/sqlite/sqlite-library.js";

const { finish, start, folder: home } = commandLine();

/** What an installation guide has operators type. */
const guide = (port: number) => [
  "--bootstrap-admin-url",
  `http://127.0.0.1:${port}/v3/`,
  "--bootstrap-internal-url",
  `http://127.0.0.1:${port}/v3/`,
  "--bootstrap-public-url",
  `http://127.0.0.1:${port}/v3/`,
  "--bootstrap-region-id",
  "regionOne",
];

const optionsIn = (help: string) =>
  [...new Set(help.match(/--(?:bootstrap|immutable|no-imm)[\w-]*/g))].toSorted();
const variablesIn = (help: string) => [...new Set(help.match(/OS_BOOTSTRAP_\w+/g))].toSorted();

describe("hamkit-identity bootstrap", () => {
  it("has the options and variables of keystone-manage bootstrap", async () => {
    const [theirs, ours] = await Promise.all([
      runProgram(["/usr/bin/keystone-manage", "bootstrap", "--help"], { env: { COLUMNS: "200" } }),
      finish(["bootstrap", "--help"]),
    ]);
    expect(optionsIn(theirs.output)).toHaveLength(11);
    expect(optionsIn(ours.output)).toEqual(optionsIn(theirs.output));
    expect(variablesIn(ours.output)).toEqual(variablesIn(theirs.output));
  });

  it("makes the openstack client work with the given password, project and region, and with later changes", async () => {
    const port = await freePort();
    const other = ["--bootstrap-username", "root", "--bootstrap-project-name", "cloud"];
    const named = ["--bootstrap-service-name", "identity", ...other, ...guide(port)];
    const password = { IDENTITY_ADMIN_PASSWORD: "", OS_BOOTSTRAP_PASSWORD: "rootpw" };
    const first = await finish(["bootstrap", ...named], password);
    expect(first).toMatchObject({ exit: 0, errors: "" });
    expect(first.output).not.toContain("rootpw");
    const run = start(["serve"], { IDENTITY_PORT: String(port), IDENTITY_ADMIN_PASSWORD: "" });
    await expect.poll(() => run.lines().some(({ msg }) => msg === "serving"), { timeout: 30_000 }).toBe(true);

    const openstack = async (args: readonly string[], secret = "rootpw") => {
      const env = {
        HOME: home(),
        OS_AUTH_URL: `http://127.0.0.1:${port}/v3`,
        OS_USERNAME: "root",
        OS_PASSWORD: secret,
        OS_PROJECT_NAME: "cloud",
        OS_USER_DOMAIN_ID: "default",
        OS_PROJECT_DOMAIN_ID: "default",
        OS_IDENTITY_API_VERSION: "3",
        OS_REGION_NAME: "regionOne",
        NO_PROXY: "127.0.0.1",
      };
      const { output, errors, exit } = await runProgram(["/usr/bin/openstack", ...args, "-f", "json"], {
        env,
      });
      if (exit !== 0) throw new Error(errors);
      return JSON.parse(output) as Record<string, unknown>[];
    };
    expect(await openstack(["region", "list", "-c", "Region"])).toEqual([{ Region: "regionOne" }]);
    const endpoints = await openstack(["endpoint", "list"]);
    expect(
      endpoints.map((each) => [each["Region"], each["Service Name"], each["Interface"], each["URL"]]),
    ).toEqual(
      expect.arrayContaining(
        ["admin", "internal", "public"].map((type) => [
          "regionOne",
          "identity",
          type,
          `http://127.0.0.1:${port}/v3/`,
        ]),
      ),
    );

    const changes = { OS_BOOTSTRAP_PASSWORD: "newpw", OS_BOOTSTRAP_ADMIN_URL: "http://admin.example.org/v3" };
    const second = await finish(["bootstrap", ...named.slice(0, 6)], {
      IDENTITY_ADMIN_PASSWORD: "",
      ...changes,
    });
    expect(second).toMatchObject({ exit: 0, errors: "" });
    await expect(openstack(["region", "list"])).rejects.toThrow(/HTTP 401/);
    const later = await openstack(["endpoint", "list", "--interface", "admin", "-c", "URL"], "newpw");
    expect(later).toEqual([{ URL: "http://admin.example.org/v3" }]);
  }, 240_000);
});

describe("the same words", () => {
  /** One run after another. */
  const RUNS: readonly (readonly string[])[] = [
    ["--bootstrap-region-id", "regionOne", "--bootstrap-public-url", "http://a:5000/v3"],
    // A new address, and another name of the service, in the region that has endpoints already.
    ["--bootstrap-service-name", "other", "--bootstrap-public-url", "http://b:5000/v3"],
    ["--bootstrap-region-id", "regionOne", "--bootstrap-admin-url", "http://c/"],
    ["--bootstrap-region-id", "two", "--bootstrap-username", "second", "--bootstrap-project-name", "service"],
    [
      "--bootstrap-region-id",
      "two",
      "--bootstrap-internal-url",
      "http://d/",
      "--bootstrap-role-name",
      "reader",
    ],
  ];

  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("make and change the same catalog, users, projects and roles as keystone-manage", async () => {
    const keystone = await makeKeystone(folder);
    const ours = { IDENTITY_DATABASE_URL: `sqlite:${join(folder, "ours.db")}`, OS_BOOTSTRAP_PASSWORD: "pw" };
    for (const words of RUNS) {
      await keystone(["bootstrap", ...words]);
      expect(await finish(["bootstrap", ...words], ours)).toMatchObject({ exit: 0, errors: "" });
      expect(contentOf(join(folder, "ours.db"), OURS)).toEqual(
        contentOf(join(folder, "keystone.db"), THEIRS),
      );
    }
  }, 400_000);
});

const CATALOG = {
  regions: "select id from region order by id",
  endpoints:
    "select s.type, s.name, e.interface, e.region_id, e.url from endpoint e join service s on s.id = e.service_id order by 3, 4",
};
const OURS = {
  ...CATALOG,
  users: `select name from "user" order by name`,
  projects: "select name from project where not is_domain order by name",
  grants: `select u.name, r.name, coalesce(p.name, 'system') as place from assignment a join "user" u on u.id = a.user_id
    join role r on r.id = a.role_id left join project p on p.id = a.target_id order by 1, 2, 3`,
};
/** The name of a service is in `extra` there. */
const THEIRS = {
  regions: CATALOG.regions,
  endpoints: CATALOG.endpoints.replace("s.name", "json_extract(s.extra, '$.name') as name"),
  users: "select name from local_user order by name",
  projects: "select name from project where not is_domain order by name",
  grants: `select u.name, r.name, p.name as place from assignment a join local_user u on u.user_id = a.actor_id
    join role r on r.id = a.role_id join project p on p.id = a.target_id where a.type = 'UserProject'
    union all select u.name, r.name, 'system' from system_assignment a join local_user u on u.user_id = a.actor_id
    join role r on r.id = a.role_id order by 1, 2, 3`,
};

/** The rows that questions find, as lists. */
function contentOf(path: string, questions: Readonly<Record<string, string>>): object {
  const database = openSqliteFile(path);
  const found = Object.entries(questions).map(([name, question]) => {
    const rows = database.prepare(question).all() as object[];
    return [name, rows.map((row) => Object.values(row))];
  });
  database.close();
  return Object.fromEntries(found) as object;
}

/** @returns What runs `keystone-manage` on an empty database. */
async function makeKeystone(folder: string): Promise<(args: readonly string[]) => Promise<void>> {
  const repositories = ["fernet_tokens", "fernet_receipts", "credential"];
  const sections = repositories.map((name) => `[${name}]\nkey_repository = ${join(folder, name)}\n`);
  const configuration = join(folder, "keystone.conf");
  await writeFile(
    configuration,
    `[DEFAULT]\nlog_file = ${join(folder, "keystone.log")}\n[database]\nconnection = sqlite:///${join(folder, "keystone.db")}\n${sections.join("")}`,
  );
  for (const name of repositories) {
    await mkdir(join(folder, name));
    for (const key of ["0", "1"])
      await writeFile(join(folder, name, key), randomBytes(32).toString("base64url") + "=");
  }
  const run = async (args: readonly string[]) => {
    const { exit, errors } = await runProgram(
      ["/usr/bin/keystone-manage", "--config-file", configuration, ...args],
      { env: { HOME: folder, OS_BOOTSTRAP_PASSWORD: "pw", PYTHONWARNINGS: "ignore" } },
    );
    if (exit !== 0) throw new Error(`keystone-manage ${args.join(" ")}: ${errors}`);
  };
  await run(["db_sync"]);
  return run;
}
