/** A domain in Samba's Active Directory: ids of objectGUID, nested groups, disabled, expired and locked accounts. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkDirectory } from "../../src/directories/check-directory.js";
import { sqliteDatabases } from "../../test/databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../test/test-app.js";
import { fileOf, readGuide } from "../../test-system/federation/keystone/guide.js";
import { startSamba, SUFFIX, type SambaServer } from "./samba-server.js";

const DOMAIN = "0000000000000000000000000000ad01";
const SERVICE_PASSWORD = "Svc-Pw!1Lab";
const passwordOf = (name: string) => `Pw-${name}-Lab1`;
const USERS = `CN=Users,${SUFFIX}`;
const MANY = 1600;

describe("a domain in Active Directory", () => {
  let samba: SambaServer;
  let place: TestApp;
  let admin = "";
  /** Those of the guide. */
  const options = () => {
    const guide = readGuide("ldap.md", {
      "ldaps://dc1.example.org": samba.url,
      "identity@example.org": "svc@ad.lab.example",
      "DC=example,DC=org": SUFFIX,
    });
    const { config } = JSON.parse(fileOf(guide, "active-directory.json")) as {
      config: { ldap: Record<string, unknown> };
    };
    const others: Record<string, unknown> = { ...config.ldap };
    delete others["password"];
    delete others["tls_cacertfile"];
    return others;
  };

  beforeAll(async () => {
    samba = await startSamba();
    samba.tool("user", "create", "svc", SERVICE_PASSWORD);
    for (const name of ["ulla", "wim", "yuri", "gone", "lock", "fresh"])
      samba.tool("user", "create", name, passwordOf(name), `--mail-address=${name}@ad.lab.example`);
    samba.tool(
      "user",
      "create",
      "Mixed.Case",
      passwordOf("mixed"),
      "--given-name=Mixed",
      "--surname=(Ops) Case",
    );
    samba.tool("user", "disable", "gone");
    samba.tool(
      "user",
      "setpassword",
      "fresh",
      `--newpassword=${passwordOf("fresh")}`,
      "--must-change-at-next-login",
    );
    // A day in 2020, in intervals of 100 ns since 1601.
    samba.modify(
      `dn: CN=yuri,${USERS}\nchangetype: modify\nreplace: accountExpires\naccountExpires: 132223104000000000\n`,
    );
    samba.tool("domain", "passwordsettings", "set", "--account-lockout-threshold=3");
    for (const name of ["leaf", "middle", "top", "none", "many"]) samba.tool("group", "add", name);
    samba.tool("group", "addmembers", "leaf", "ulla");
    samba.tool("group", "addmembers", "middle", "leaf,wim");
    samba.tool("group", "addmembers", "top", "middle");
    // More members than Active Directory returns at once.
    const many = Array.from({ length: MANY }, (_, index) => `m${index}`);
    const entries = many.map(
      (name) => `dn: CN=${name},${USERS}\nchangetype: add\nobjectClass: user\nsAMAccountName: ${name}\n`,
    );
    samba.modify(entries.join("\n"));
    samba.modify(
      `dn: CN=many,${USERS}\nchangetype: modify\nadd: member\n${many.map((name) => `member: CN=${name},${USERS}\n`).join("")}`,
    );

    place = await testApp(sqliteDatabases, {
      IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on",
      IDENTITY_LDAP_RECHECK: "0",
    });
    const project = { name: "admin", domain: { id: "default" } };
    admin = (await logIn({ name: "admin", domain: { id: "default" } }, ADMIN_PASSWORD, { project })).token;
    await ask("POST", "/domains", { domain: { name: "ad", explicit_domain_id: DOMAIN } });
    const config = { identity: { driver: "ldap" }, ldap: { ...options(), password: SERVICE_PASSWORD } };
    await ask("PUT", `/domains/${DOMAIN}/config`, { config });
  }, 600_000);
  afterAll(async () => {
    await place.remove();
    await samba.remove();
  });

  async function ask(method: "GET" | "POST" | "PUT" | "HEAD", path: string, body?: object) {
    const response = await place.app.server.inject({
      method,
      url: `/v3${path}`,
      headers: admin === "" ? {} : { "x-auth-token": admin },
      ...(body && { payload: body }),
    });
    return {
      status: response.statusCode,
      token: String(response.headers["x-subject-token"] ?? ""),
      body: response.body === "" ? undefined : JSON.parse(response.body),
    };
  }

  const logIn = (user: object, password: string, scope?: object) => {
    const identity = { methods: ["password"], password: { user: { ...user, password } } };
    return ask("POST", "/auth/tokens", { auth: { identity, ...(scope && { scope }) } });
  };
  const enter = (name: string, password = passwordOf(name)) =>
    logIn({ name, domain: { id: DOMAIN } }, password);

  const publicId = (kind: "user" | "group", guid: string) =>
    createHash("sha256")
      .update(DOMAIN + kind + guid)
      .digest("hex");
  const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();

  it("lists all users and groups, more than a page of the server, with ids of their GUIDs", async () => {
    const { body } = await ask("GET", `/users?domain_id=${DOMAIN}`);
    const known = new Map(body.users.map((user: { name: string }) => [user.name, user]));
    expect(known.size).toBeGreaterThan(MANY);
    expect(known.get("ulla")).toMatchObject({
      id: publicId("user", samba.valueOf("ulla", "objectGUID")),
      email: "ulla@ad.lab.example",
      enabled: true,
    });
    expect(known.get("gone")).toMatchObject({ enabled: false });
    const groups = await ask("GET", `/groups?domain_id=${DOMAIN}`);
    expect(namesOf(groups.body.groups)).toEqual(
      expect.arrayContaining(["leaf", "many", "middle", "none", "top"]),
    );
  });

  it("finds a user by the bytes of the id, and by a name in any case", async () => {
    const id = publicId("user", samba.valueOf("ulla", "objectGUID"));
    expect((await ask("GET", `/users/${id}`)).body.user.name).toBe("ulla");
    expect((await logIn({ id }, passwordOf("ulla"))).status).toBe(201);
    expect((await enter("ULLA", passwordOf("ulla"))).body.token.user).toMatchObject({ id, name: "ulla" });
    expect((await enter("mixed.case", passwordOf("mixed"))).status).toBe(201);
  });

  it("follows nested groups in both directions", async () => {
    const id = publicId("user", samba.valueOf("ulla", "objectGUID"));
    expect(namesOf((await ask("GET", `/users/${id}/groups`)).body.groups)).toEqual(["leaf", "middle", "top"]);
    const { groups } = (await ask("GET", `/groups?domain_id=${DOMAIN}`)).body;
    const idOf = (name: string) => groups.find((group: { name: string }) => group.name === name).id as string;
    const membersOf = async (name: string) =>
      namesOf((await ask("GET", `/groups/${idOf(name)}/users`)).body.users);
    expect(await membersOf("top")).toEqual(["ulla", "wim"]);
    expect(await membersOf("leaf")).toEqual(["ulla"]);
    expect(await membersOf("none")).toEqual([]);
    expect(await membersOf("many")).toHaveLength(MANY);
    expect((await ask("HEAD", `/groups/${idOf("top")}/users/${id}`)).status).toBe(204);
  });

  it("reads all members of a large group without the rule of nested groups", async () => {
    const change = { config: { ldap: { group_ad_nesting: false } } };
    const set = (config: object) =>
      place.app.server.inject({
        method: "PATCH",
        url: `/v3/domains/${DOMAIN}/config`,
        headers: { "x-auth-token": admin },
        payload: config,
      });
    expect((await set(change)).statusCode).toBe(200);
    const { groups } = (await ask("GET", `/groups?domain_id=${DOMAIN}&name=many`)).body;
    expect((await ask("GET", `/groups/${groups[0].id}/users`)).body.users).toHaveLength(MANY);
    await set({ config: { ldap: { group_ad_nesting: true } } });
  });

  it("refuses disabled, expired and locked accounts, and the check says why", async () => {
    const check = async (name: string, password = passwordOf(name)) => {
      const lines: string[] = [];
      const config = { ldap: options(), readPassword: () => SERVICE_PASSWORD };
      for await (const { isFailure, text } of checkDirectory(config, { name, password }))
        lines.push(`${isFailure ? "failure" : "ok"} ${text}`);
      return lines.at(-1);
    };
    expect(await check("ulla")).toMatch(/^ok login as .* is accepted; groups: .*top/);
    expect(await check("ulla", "wrong")).toMatch(/^failure login .*wrong password/);
    expect(await check("gone")).toMatch(/^failure login .*account disabled/);
    expect(await check("yuri")).toMatch(/^failure login .*account expired/);
    expect(await check("fresh")).toMatch(/^failure login .*must change the password/);
    for (const name of ["gone", "yuri", "fresh"]) expect((await enter(name)).status).toBe(401);
    for (let count = 0; count < 3; count++) expect((await enter("lock", "wrong")).status).toBe(401);
    expect((await enter("lock")).status).toBe(401);
    expect(await check("lock")).toMatch(/^failure login .*account locked/);
  });

  it("is asked by TLS, with the certificate of its authority", async () => {
    const findings: boolean[] = [];
    const ldap = { ...options(), url: samba.tlsUrl, tls_cacertfile: samba.caFile, tls_req_cert: "never" };
    for await (const { isFailure } of checkDirectory({ ldap, readPassword: () => SERVICE_PASSWORD }))
      findings.push(isFailure);
    expect(findings).not.toContain(true);
  });
});
