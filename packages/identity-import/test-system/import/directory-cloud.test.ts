/** A cloud whose users are in LDAP, imported: ids, tokens and logins are as in its Keystone. Its export has no rows of the directory's groups. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "../../../identity/src/program.js";
import type { ProgramIo } from "../../../identity/src/commands/command-context.js";
import { postgresDatabases, sqliteDatabases } from "../../../identity/test/databases.js";
import type { GoldenRow } from "../../../identity/test/golden.js";
import { cloudFolder, cloudIds, cloudRows } from "../../../identity/test/keystone-cloud.js";
import { freePort } from "../../../identity/test-system/free-port.js";
import { explainDifferences } from "../../src/import/verification/known-differences.js";
import type { ValueDifference } from "../../src/import/verification/response-differences.js";
import { startImportedCloud, type ImportedCloud } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

const FOLDER = cloudFolder("directory");
const isThere = existsSync(join(FOLDER, "ids.json"));

/** What differs from run to run, or by the service's own names. */
const VOLATILE = new Set(["links", "audit_ids", "issued_at", "expires_at", "catalog", "password_expires_at"]);

/** Statuses that differ on purpose, by the name of the request. */
const DIFFERENT: Readonly<Record<string, number>> = {
  // owners-list-their-ec2-keys
  ec2: 200,
};

/** Values that differ on purpose, by the names of docs/identity/differences.md. */
const RULES: Readonly<
  Record<string, (difference: ValueDifference, ids: Readonly<Record<string, string>>) => boolean>
> = {
  "duplicates-in-a-directory-are-one-user": ({ path, source }) =>
    source?.includes("twin.b@corp.example") === true || /users\/twin$|"id":"twin"/.test(path),
  "users-that-are-gone-keep-their-names": ({ path }, ids) => path.includes(ids["user:corp/gonnadie"] ?? "?"),
  "implied-roles-are-not-own-roles": ({ path, source }, ids) =>
    source === undefined && path.endsWith(`/roles/${ids["role:reader"]}`),
  // Of the release of the Keystone, and of this test.
  "": ({ path }) => path.endsWith("/explicit_domain_id") || path === "config/ldap/url",
};

/** A value without what is volatile, lists as sets. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map(comparable)
      .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !VOLATILE.has(name));
  return Object.fromEntries(
    members
      .map(([name, member]) => [name, comparable(member)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

describe.skipIf(!isThere)("a cloud whose users are in LDAP", () => {
  let folder: string;
  let slapd: ChildProcess;
  let url: string;
  let mariadb: MariadbServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-directory-cloud-"));
    await mkdir(join(folder, "db"));
    await mkdir(join(folder, "run"));
    const shared = join(FOLDER, "..");
    const conf = readFileSync(join(shared, "slapd.conf.in"), "utf8")
      .replaceAll("@DIR@", folder)
      .replaceAll("@HERE@", shared)
      .replaceAll(/^TLS.*$/gm, "");
    await writeFile(join(folder, "slapd.conf"), conf);
    await writeFile(
      join(folder, "keystone.conf"),
      "[identity]\ndomain_specific_drivers_enabled = True\ndomain_configurations_from_database = True\n",
    );
    const load = ["-q", "-f", join(folder, "slapd.conf"), "-b", "dc=example"];
    const loaded = spawnSync("/usr/sbin/slapadd", [...load, "-l", join(shared, "directory.ldif")]);
    if (loaded.status !== 0) throw new Error(loaded.stderr.toString());
    url = `ldap://127.0.0.1:${await freePort()}`;
    slapd = spawn("/usr/sbin/slapd", ["-f", join(folder, "slapd.conf"), "-h", url, "-d", "0"], {
      stdio: "ignore",
    });
    const account = ["-x", "-H", url, "-D", "cn=root,dc=example", "-w", "rootpw"];
    const change = ["-f", join(FOLDER, "directory-change.ldif")];
    const isChanged = () => spawnSync("ldapmodify", [...account, ...change]).status === 0;
    for (let tries = 0; !isChanged(); tries++) {
      if (tries > 200) throw new Error("slapd does not start");
      await delay(100);
    }
    // slapadd accepts no empty DN as a member.
    const dummy = [
      "dn: cn=empty-blank,ou=Groups,dc=corp,dc=example",
      "objectClass: groupOfNames",
      "cn: empty-blank",
      "member: ",
      "description: dummy member: the empty DN",
    ].join("\n");
    spawnSync("ldapadd", account, { input: `${dummy}\n` });
    mariadb = await startMariadb();
  }, 120_000);
  afterAll(async () => {
    const ended = once(slapd, "exit");
    slapd.kill("SIGKILL");
    await ended;
    await mariadb.remove();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each([
    ["mariadb", sqliteDatabases],
    ["postgresql", postgresDatabases],
  ] as const)("from %s", (kind, databases) => {
    let cloud: ImportedCloud;
    const { ids, tokens } = isThere ? cloudIds("directory") : { ids: {}, tokens: {} };
    const masterKey = Buffer.alloc(32, 7).toString("base64");
    beforeAll(async () => {
      cloud = await startImportedCloud({
        cloud: "directory",
        kind,
        databases,
        mariadb,
        env: { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on", IDENTITY_LDAP_RECHECK: "0" },
        keystoneConf: join(folder, "keystone.conf"),
        change: async (source) => {
          // The address of this test's directory.
          const value = kind === "mariadb" ? "`option`" : '"option"';
          await source.query(`update whitelisted_config set value = '"${url}"' where ${value} = 'url'`);
        },
      });
    }, 120_000);
    afterAll(() => cloud.remove());

    async function replay(row: GoldenRow): Promise<object | undefined> {
      const headers = Object.entries(row.request_headers).map(([name, value]) => [
        name,
        value.startsWith("$") ? (tokens[value.slice(1)] ?? "") : value,
      ]);
      const answer = await cloud.app.server.inject({
        method: row.method as "GET",
        url: row.path,
        headers: Object.fromEntries(headers) as Record<string, string>,
        ...(row.request_body !== null && { payload: row.request_body as object }),
      });
      const status = DIFFERENT[row.name] ?? row.status;
      const body = answer.body === "" ? undefined : (JSON.parse(answer.body) as unknown);
      const values =
        row.status < 400 && body !== undefined
          ? explainDifferences(
              { path: row.path, body: comparable(row.response_body) },
              comparable(body),
            ).unknown.filter(
              (difference) => !Object.values(RULES).some((isExpected) => isExpected(difference, ids)),
            )
          : [];
      if (answer.statusCode === status && values.length === 0) return undefined;
      return { request: row.name, status: [status, answer.statusCode], values };
    }

    it.each(["tokens", "expected", "logins"])(
      "answers the recorded requests of %s as its Keystone did",
      async (file) => {
        const found: object[] = [];
        for (const row of cloudRows("directory", file)) {
          const difference = await replay(row);
          if (difference !== undefined) found.push(difference);
        }
        expect(found).toEqual([]);
      },
    );

    it("lists its users with the ids that it gave them", async () => {
      const corp = ids["domain:corp"] ?? "";
      const answer = await cloud.app.server.inject({
        url: `/v3/users?domain_id=${corp}`,
        headers: { "x-auth-token": tokens["admin"] ?? "" },
      });
      const { users } = JSON.parse(answer.body) as { users: { id: string; name: string }[] };
      const byName = new Map(users.map(({ id, name }) => [`user:corp/${name}`, id]));
      const known = Object.entries(ids).filter(([alias]) => byName.has(alias));
      expect(known.length).toBeGreaterThan(4);
      for (const [alias, id] of known) expect([alias, byName.get(alias)]).toEqual([alias, id]);
    });

    it("is exported with its ids, and without rows of the directory's groups and their members", async () => {
      const file = join(folder, `${kind}.sql`);
      const keyFile = join(folder, `${kind}.key`);
      await writeFile(keyFile, masterKey, { mode: 0o600 });
      let errors = "";
      const io = {
        env: { IDENTITY_DATABASE_URL: cloud.databaseUrl, IDENTITY_MASTER_KEY_FILE: keyFile },
        stdout: { write: () => true },
        stderr: { write: (text: string) => (errors += text) },
        isInteractive: false,
      } as unknown as ProgramIo;
      const exit = await run(["export", "--sql", file, "--for", "postgresql", "--schema", "head"], io);
      expect([exit, errors]).toEqual([0, ""]);
      const sql = await readFile(file, "utf8");
      const rowsOf = (table: string) =>
        Array.from(
          sql.matchAll(new RegExp(`^insert into "${table}" .*values\n((?:\\(.*\n?)+)`, "gm")),
        ).flatMap(([, rows = ""]) => rows.trim().split("\n"));
      const mapped = rowsOf("id_mapping");
      expect(mapped.length).toBeGreaterThanOrEqual(108);
      const alva = ids["user:corp/alva"] ?? "";
      expect(mapped.join("\n")).toContain(alva);
      expect(rowsOf("nonlocal_user").join("\n")).toContain(alva);
      expect(rowsOf("local_user").join("\n")).not.toContain(ids["domain:corp"]);
      expect(rowsOf("group").join("\n")).not.toContain(ids["domain:corp"]);
      expect(rowsOf("user_group_membership").join("\n")).not.toContain(alva);
    });
  });
});
