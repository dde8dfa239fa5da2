/** Debian's barbican-keystone-listener hears of a project that is deleted here, and deletes its secrets. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { eventService } from "../../test/events/event-service.js";
import { sqliteDatabases } from "../../test/databases.js";
import { startRabbit, type RabbitServer } from "../../test-system/events/rabbitmq-server.js";
import { runProgram } from "../../test-system/run-program.js";

let rabbit: RabbitServer;
let service: Awaited<ReturnType<typeof eventService>>;
let folder: string;
let listener: ChildProcess;
beforeAll(async () => {
  rabbit = await startRabbit();
  folder = await mkdtemp(join(tmpdir(), "hamkit-barbican-"));
  const database = `sqlite:///${join(folder, "barbican.db")}`;
  const migrated = await runProgram(["/usr/bin/barbican-db-manage", "-d", database, "upgrade"]);
  if (migrated.exit !== 0) throw new Error(migrated.errors);
  // Where the listener looks first.
  await mkdir(join(folder, ".barbican"));
  writeFileSync(
    join(folder, ".barbican/barbican.conf"),
    `[DEFAULT]
sql_connection = ${database}
transport_url = rabbit://guest:guest@127.0.0.1:${rabbit.port}/
[keystone_notifications]
enable = True
`,
  );
  service = await eventService(sqliteDatabases, 1, {
    env: { IDENTITY_EVENTS_RABBITMQ_URL: rabbit.url },
  });
  listener = spawn("/usr/bin/barbican-keystone-listener", {
    env: { ...process.env, HOME: folder },
    stdio: "ignore",
  });
}, 180_000);
afterAll(async () => {
  const ended = once(listener, "exit");
  listener.kill("SIGKILL");
  await ended;
  await service.remove();
  await rabbit.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a statement in Barbican's database. @returns Its rows. */
async function barbican(statement: string): Promise<unknown> {
  const { exit, output, errors } = await runProgram([
    "/usr/bin/python3",
    "-c",
    `import json, sqlite3
connection = sqlite3.connect(${JSON.stringify(join(folder, "barbican.db"))}, timeout=20)
print(json.dumps(connection.execute(${JSON.stringify(statement)}).fetchall()))
connection.commit()`,
  ]);
  if (exit !== 0) throw new Error(errors);
  return JSON.parse(output);
}

it("deletes the secrets of a deleted project, and no others", async () => {
  const ids: string[] = [];
  for (const name of ["gone", "kept"]) {
    const { body } = await service.ask("POST", "/projects", {
      body: { project: { name, domain_id: "default" } },
    });
    const id = body.project.id as string;
    ids.push(id);
    const times = "'2026-01-01 00:00:00', '2026-01-01 00:00:00', 0, 'ACTIVE'";
    await barbican(
      `insert into projects (id, external_id, created_at, updated_at, deleted, status) values ('p-${name}', '${id}', ${times})`,
    );
    await barbican(
      `insert into secrets (id, name, project_id, secret_type, created_at, updated_at, deleted, status) values ('s-${name}', '${name}', 'p-${name}', 'opaque', ${times})`,
    );
  }
  expect((await service.ask("DELETE", `/projects/${ids[0]}`)).status).toBe(204);
  await expect
    .poll(() => barbican("select name, deleted from secrets order by name"), {
      timeout: 60_000,
      interval: 500,
    })
    .toEqual([
      ["gone", 1],
      ["kept", 0],
    ]);
}, 120_000);
