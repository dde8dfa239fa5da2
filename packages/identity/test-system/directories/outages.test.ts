/** Directories that are down, hang, have another certificate or another configuration. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { servedDatabases, sqliteDatabases } from "../../test/databases.js";
import { ADMIN_PASSWORD } from "../../test/test-app.js";
import { directoryCloud, DOMAIN, group, person, UNITS, type DirectoryCloud } from "./directory-cloud.js";

const PEOPLE = [...Array.from({ length: 1200 }, (_, index) => `user${index}`), "alva"];

const LDIF = [
  UNITS,
  ...PEOPLE.map((name) => person(name)),
  group(
    "everyone",
    PEOPLE.map((name, index) => `${index % 2 === 0 ? "uid" : "UID"}=${name},ou=People,dc=test`),
  ),
].join("\n");

it("metrics have the requests to directories by outcome, and the connections to them", async () => {
  const cloud = await directoryCloud(sqliteDatabases, { ldif: UNITS + person("alva") });
  try {
    await cloud.configure();
    expect((await cloud.enter("alva")).status).toBe(201);
    const read = () => cloud.metrics();
    const before = await read();
    expect(before).toMatch(
      /^identity_directory_request_duration_seconds_count\{operation="login",outcome="answered"\} 1$/m,
    );
    expect(before).toMatch(/^identity_directory_connections\{state="idle"\} [1-9]/m);
    expect(before).toMatch(/^identity_directory_requests_waiting 0$/m);
    await cloud.slapd.stop();
    expect((await cloud.enter("alva")).status).toBe(503);
    await expect
      .poll(read, { timeout: 5000 })
      .toMatch(
        /^identity_directory_request_duration_seconds_count\{operation="\w+",outcome="failed"\} [1-9]/m,
      );
  } finally {
    await cloud.close();
  }
});

it("a directory is asked nothing for a network whose logins are refused", async () => {
  const cloud = await directoryCloud(sqliteDatabases, {
    ldif: UNITS + person("alva"),
    env: { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_NETWORK_FAILURES: "5" },
  });
  try {
    await cloud.configure();
    const guess = async (name: string) => (await cloud.enter(name, "wrong")).status;
    for (let count = 0; count < 5; count++) expect(await guess(`nobody${count}`)).toBe(401);
    await cloud.slapd.stop();
    // It would be 503.
    expect([await guess("nobody"), await guess("alva")]).toEqual([429, 429]);
    const user = { name: "alva", domain: { id: DOMAIN } };
    const statusOf = async (identity: object) =>
      (await cloud.ask("POST", "/auth/tokens", { token: "", body: { auth: { identity } } })).status;
    expect(await statusOf({ methods: ["totp"], totp: { user: { ...user, passcode: "123456" } } })).toBe(429);
    const credential = { name: "ci", secret: "x", user };
    expect(await statusOf({ methods: ["application_credential"], application_credential: credential })).toBe(
      429,
    );
  } finally {
    await cloud.close();
  }
});

for (const databases of servedDatabases(sqliteDatabases))
  describe(`an impaired directory, and the service on ${databases.name}`, () => {
    let cloud: DirectoryCloud;
    beforeAll(async () => {
      cloud = await directoryCloud(databases, { ldif: LDIF, replicas: 2 });
      await cloud.configure();
    });
    afterAll(() => cloud.close());

    const elsewhere = async () => {
      const reply = await cloud.logIn({ name: "admin", domain: { id: "default" } }, ADMIN_PASSWORD);
      expect(reply.status).toBe(201);
      return reply.ms;
    };

    it.each([0, 500])(
      "lists more users than the server returns at once, with a page_size of %i",
      async (size) => {
        await cloud.configure({ page_size: size });
        const { body, ms } = await cloud.ask("GET", `/users?domain_id=${DOMAIN}`);
        expect(body.users).toHaveLength(1201);
        expect(ms).toBeLessThan(3000);
      },
    );

    it.each(["users", "members"])(
      "is listed in pages, which follow all %s once, also on a replica that read no page before",
      async (which) => {
        await cloud.configure();
        await cloud.ask("GET", `/groups?domain_id=${DOMAIN}`);
        const everyone = createHash("sha256").update(`${DOMAIN}groupeveryone`).digest("hex");
        const list = which === "users" ? `/users?domain_id=${DOMAIN}` : `/groups/${everyone}/users?`;
        const change = { config: { identity: { list_limit: 300 } } };
        expect((await cloud.ask("PATCH", `/domains/${DOMAIN}/config`, { body: change })).status).toBe(200);
        const seen: string[] = [];
        const sizes: number[] = [];
        for (let path = list, at = 0; path !== ""; at = 1 - at) {
          const { body } = await cloud.ask("GET", path, { at });
          sizes.push(body.users.length);
          expect(body.truncated).toBe(sizes.length < 5 ? true : undefined);
          seen.push(...body.users.map(({ id }: { id: string }) => id));
          path = body.links.next === null ? "" : body.links.next.replace(/^.*\/v3/, "");
        }
        expect(sizes).toEqual([300, 300, 300, 300, 1]);
        expect(seen).toEqual([...new Set(seen)].toSorted());
        // A request's own limit, and a list of some.
        const limited = await cloud.ask("GET", `${list}&limit=700&marker=${seen[499]}`);
        expect(limited.body.users.map(({ id }: { id: string }) => id)).toEqual(seen.slice(500, 1200));
        const some = await cloud.ask("GET", `${list}&name__startswith=user11&limit=50`);
        expect([some.body.users.length, some.body.truncated]).toEqual([50, true]);
        const unknown = await cloud.ask("GET", `${list}&marker=${"0".repeat(64)}`);
        expect(unknown.status).toBe(404);
        // An entry that is gone is left out; one that is new is in the next list.
        cloud.slapd.modify("dn: uid=user7,ou=People,dc=test\nchangetype: delete\n");
        const rest = await cloud.ask("GET", `${list}&limit=1500&marker=${seen[0]}`);
        expect(rest.body.users).toHaveLength(1199);
        cloud.slapd.modify(person("user7").replace(/^dn:.*$/m, "$&\nchangetype: add"));
      },
    );

    it("is unavailable while it is stopped, for what needs it and nothing else, and works when it is started", async () => {
      const { token } = await cloud.enter("alva");
      await cloud.slapd.stop();
      for (const reply of [
        await cloud.enter("alva"),
        await cloud.ask("GET", `/users?domain_id=${DOMAIN}`),
        await cloud.validate(token),
      ])
        expect(reply).toMatchObject({ status: 503, body: { error: { code: 503 } } });
      expect((await cloud.ask("GET", `/domains/${DOMAIN}/config`)).status).toBe(200);
      expect((await cloud.ask("GET", "/role_assignments")).status).toBe(200);
      expect((await cloud.ask("GET", "/users")).status).toBe(200);
      await elsewhere();
      await cloud.slapd.start();
      await delay(100);
      expect((await cloud.enter("alva")).status).toBe(201);
      expect((await cloud.validate(token)).status).toBe(200);
    });

    it("is unavailable within five seconds while it hangs, and slows no other domain", async () => {
      await elsewhere();
      cloud.slapd.hang();
      try {
        const logins = Array.from({ length: 40 }, () => cloud.enter("alva"));
        const others: number[] = [];
        for (let count = 0; count < 10; count++) {
          others.push(await elsewhere());
          await delay(50);
        }
        const replies = await Promise.all(logins);
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
        expect(Math.max(...replies.map(({ ms }) => ms))).toBeLessThan(5000);
        // One that waited for the directory would take 4.5 s.
        expect(Math.max(...others)).toBeLessThan(2500);
        // Lately it did not answer.
        expect((await cloud.enter("alva")).ms).toBeLessThan(2500);
      } finally {
        cloud.slapd.goOn();
      }
      await expect.poll(async () => (await cloud.enter("alva")).status, { timeout: 10_000 }).toBe(201);
    });

    it("is asked at the next server, if one does not answer", async () => {
      const silent = createServer().listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as { port: number };
      await cloud.configure({ url: `ldap://127.0.0.1:1, ldap://127.0.0.1:${port}, ${cloud.slapd.url}` });
      const first = await cloud.enter("alva");
      expect([first.status, first.ms < 5000]).toEqual([201, true]);
      // The one that hangs is not tried again at once.
      const second = await cloud.enter("alva");
      expect([second.status, second.ms < 500]).toEqual([201, true]);
      silent.close();
    });

    it.each([
      ["its certificate is trusted", true, {}, 201],
      ["its certificate is not trusted", false, {}, 503],
      ["it is not verified", false, { tls_req_cert: "never" }, 201],
      ["the file of certificates does not exist", false, { tls_cacertfile: "/nonexistent.pem" }, 503],
    ])("is asked by TLS and STARTTLS, if %s", async (_, isTrusted, options, status) => {
      const ca = isTrusted ? { tls_cacertfile: cloud.slapd.certificate.cert } : {};
      await cloud.configure({ url: cloud.slapd.tlsUrl, ...ca, ...options });
      expect((await cloud.enter("alva")).status).toBe(status);
      const url = cloud.slapd.url.replace("127.0.0.1", "localhost");
      await cloud.configure({ url, use_tls: true, ...ca, ...options });
      expect((await cloud.enter("alva")).status).toBe(status);
    });

    it("is another one by the next request after a change, on every replica", async () => {
      await cloud.configure();
      expect((await cloud.enter("alva", "pw-alva", { at: 1 })).status).toBe(201);
      await cloud.configure({ password: "wrong" });
      const status = (at: number) => async () => (await cloud.enter("alva", "pw-alva", { at })).status;
      await expect.poll(status(1), { timeout: 3000 }).toBe(503);
      const change = { config: { ldap: { password: "service-pw" } } };
      await cloud.ask("PATCH", `/domains/${DOMAIN}/config`, { body: change });
      expect(await status(0)()).toBe(201);
      await expect.poll(status(1), { timeout: 3000 }).toBe(201);
    });

    it.each([
      ["page_size", "many", "a whole number from 0"],
      ["url", "http://x", "URLs such as"],
      ["user_filter", "((", "an LDAP filter"],
      ["query_scope", "deep", "one of one, sub"],
    ])("has no configuration with an invalid option %s", async (option, value, expected) => {
      const { status, body } = await cloud.configure({ [option]: value });
      expect(status).toBe(400);
      for (const text of [option, JSON.stringify(value), expected])
        expect(body.error.message).toContain(text);
    });

    it("never shows the password", async () => {
      await cloud.configure();
      for (const end of ["", "/ldap", "/ldap/password"])
        expect(
          JSON.stringify((await cloud.ask("GET", `/domains/${DOMAIN}/config${end}`)).body),
        ).not.toContain("service-pw");
    });
  });
