/** How long logins are refused when a cloud with a million role assignments moves: the last update, and the start of the service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../../identity/test/databases.js";
import {
  createKeystoneDatabase,
  type KeystoneDatabase,
} from "../../test-system/export/keystone-databases.js";
import { makePeer, type KeystonePeer } from "../../test-system/export/keystone-peer.js";
import { runCommand } from "../../../identity/test-system/run-command.js";
import { startService } from "../../../identity/test-system/service-process.js";

/** As many users, and as many projects: each user has a role on each. */
const COUNT = 1000;
const MAX_SECONDS = 60;
const PASSWORD = "adminpw";

let folder: string;
let keystone: KeystoneDatabase;
let peer: KeystonePeer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-switch-"));
  keystone = await createKeystoneDatabase();
  const [publicUrl, methods] = ["http://127.0.0.1:5000/", ["password", "token"]];
  peer = await makePeer({ folder, connection: keystone.connection, publicUrl, methods });
  await peer.run("sync", "keys", "bootstrap", PASSWORD, "http://127.0.0.1:5000/v3");
  const numbers = (name: string) => `generate_series(1, ${COUNT}) as ${name}`;
  await keystone.query(
    `insert into project (id, name, extra, description, enabled, domain_id, parent_id, is_domain)
       select md5('project' || n), 'project-' || n, '{}', '', true, 'default', 'default', false from ${numbers("n")};
     insert into "user" (id, extra, enabled, domain_id)
       select md5('user' || n), '{}', true, 'default' from ${numbers("n")};
     insert into local_user (user_id, domain_id, name)
       select md5('user' || n), 'default', 'user-' || n from ${numbers("n")};
     insert into assignment (type, actor_id, target_id, role_id, inherited)
       select 'UserProject', md5('user' || u), md5('project' || p), r.id, false
       from ${numbers("u")}, ${numbers("p")}, (select id from role where name = 'reader') r`,
  );
}, 240_000);
afterAll(async () => {
  await keystone.remove();
  await rm(folder, { recursive: true, force: true });
});

/** What a busy cloud changes between two updates. */
const change = (round: number) =>
  keystone.query(
    `delete from assignment where actor_id = md5('user' || ${round});
     insert into assignment (type, actor_id, target_id, role_id, inherited)
       select 'UserProject', md5('user' || u), md5('project' || 1), r.id, false
       from generate_series(1, ${COUNT}) as u, (select id from role where name = 'member') r on conflict do nothing;
     update local_user set name = name || '-renamed' where user_id = md5('user' || ${round})`,
  );

it.each([
  [1, sqliteDatabases],
  [2, postgresDatabases],
] as const)("logins are refused for less than a minute: $1.name", async (round, databases) => {
  const own = await databases.create();
  const key = Buffer.alloc(32, 7).toString("base64");
  const env = { IDENTITY_DATABASE_URL: own.url, IDENTITY_MASTER_KEY: key, HOME: folder };
  const conf = ["--keystone-conf", peer.configuration];
  await runCommand(["import", ...conf], env);
  await change(round);

  // From here on the proxy answers 503.
  const beganAt = performance.now();
  const output = await runCommand(["import", ...conf, "--update"], env);
  const updatedAt = performance.now();
  const service = await startService({ databaseUrl: own.url, folder, env: { IDENTITY_MASTER_KEY: key } });
  const user = { name: "admin", password: PASSWORD, domain: { id: "default" } };
  const response = await fetch(`${service.url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ auth: { identity: { methods: ["password"], password: { user } } } }),
  });
  const seconds = (performance.now() - beganAt) / 1000;
  await service.stop();
  await own.remove();

  process.stdout.write(
    `${databases.name}: logins refused for ${seconds.toFixed(1)} s, ${((updatedAt - beganAt) / 1000).toFixed(1)} s of them for the update of ${(COUNT * COUNT).toLocaleString("en")} assignments\n`,
  );
  expect(response.status).toBe(201);
  expect(output).toMatch(/^assignment +\d+ +\d+ +\d+ +\d+ +1000$/m);
  expect(seconds).toBeLessThan(MAX_SECONDS);
});
