/** Users in the database whose ids a directory has given, while no domain has a directory. */
import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

let service: TestApp;
afterEach(() => service.remove());

it.each([
  {
    drivers: "off",
    status: 200,
    title: "are users of the database where domains have no directories, as with Keystone",
  },
  { drivers: "on", status: 404, title: "are unknown where domains may have directories" },
])("$title", async ({ drivers, status }) => {
  service = await testApp(sqliteDatabases, { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: drivers });
  const { server, database } = service.app;
  const identity = {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
  };
  const payload = { auth: { identity, scope: { system: { all: true } } } };
  const logIn = await server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
  const headers = { "x-auth-token": String(logIn.headers["x-subject-token"]) };
  const created = await server.inject({
    method: "POST",
    url: "/v3/users",
    headers,
    payload: { user: { name: "joe", domain_id: "default" } },
  });
  const { id } = created.json<{ user: { id: string } }>().user;
  await database.transaction(async (transaction) => {
    await sql`insert into id_mapping (public_id, domain_id, local_id, entity_type) values (${id}, 'default', 'joe', 'user')`.execute(
      transaction.tables(),
    );
  });
  expect((await server.inject({ url: `/v3/users/${id}`, headers })).statusCode).toBe(status);
});
