/** Debian's ceilometer-agent-notification hears of changes and logins here, and makes the events of its own definitions. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { eventService } from "../../test/events/event-service.js";
import { sqliteDatabases } from "../../test/databases.js";
import { startRabbit, type RabbitServer } from "../../test-system/events/rabbitmq-server.js";

interface CeilometerEvent {
  readonly event_type: string;
  /** Names, types and values. */
  readonly traits: readonly (readonly [string, number, unknown])[];
}

let rabbit: RabbitServer;
let service: Awaited<ReturnType<typeof eventService>>;
let folder: string;
let agent: ChildProcess;
const events: CeilometerEvent[] = [];
/** Where its pipeline posts them. */
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as CeilometerEvent | CeilometerEvent[];
    events.push(...[body].flat());
    response.writeHead(200).end();
  });
});
beforeAll(async () => {
  rabbit = await startRabbit();
  folder = await mkdtemp(join(tmpdir(), "hamkit-ceilometer-"));
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const pipeline = join(folder, "event_pipeline.yaml");
  writeFileSync(
    pipeline,
    `sources:
  - name: all
    events: ["*"]
    sinks: [receiver]
sinks:
  - name: receiver
    publishers: ["http://127.0.0.1:${(receiver.address() as AddressInfo).port}/"]
`,
  );
  const configuration = join(folder, "ceilometer.conf");
  writeFileSync(
    configuration,
    `[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:${rabbit.port}/
event_pipeline_cfg_file = ${pipeline}
[notification]
pipelines = event
`,
  );
  service = await eventService(sqliteDatabases, 1, {
    // Successful logins are left out by default.
    env: {
      IDENTITY_EVENTS_RABBITMQ_URL: rabbit.url,
      IDENTITY_EVENTS_OPT_OUT: "identity.authenticate.pending",
    },
  });
  agent = spawn("/usr/bin/ceilometer-agent-notification", ["--config-file", configuration], {
    stdio: "ignore",
  });
}, 180_000);
afterAll(async () => {
  const ended = once(agent, "exit");
  agent.kill("SIGTERM");
  await ended;
  receiver.close();
  await service.remove();
  await rabbit.remove();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

function heard(type: string): readonly Readonly<Record<string, unknown>>[] {
  return events
    .filter(({ event_type: each }) => each === type)
    .map(({ traits }) => Object.fromEntries(traits.map(([name, , value]) => [name, value])));
}

it("has the traits of a project's creation, of a grant and of a login", async () => {
  const { body } = await service.ask("POST", "/projects", {
    body: { project: { name: "metered", domain_id: "default" } },
  });
  const project = body.project.id as string;
  const { body: users } = await service.ask("GET", "/users?name=admin");
  const { body: roles } = await service.ask("GET", "/roles?name=member");
  const [user, role] = [users.users[0].id as string, roles.roles[0].id as string];
  const grant = `/projects/${project}/users/${user}/roles/${role}`;
  expect((await service.ask("PUT", grant)).status).toBe(204);
  const once60 = { timeout: 60_000, interval: 500 };
  await expect
    .poll(() => heard("identity.project.created"), once60)
    .toEqual([expect.objectContaining({ resource_id: project, initiator_id: user })]);
  await expect
    .poll(() => heard("identity.role_assignment.created"), once60)
    .toEqual([expect.objectContaining({ project, user, role })]);
  const login = { outcome: "success", action: "authenticate", initiator_id: user };
  expect(heard("identity.authenticate")).toContainEqual(expect.objectContaining(login));
}, 180_000);
