/** Each alert of deploy/prometheus fires by the fault that it is for, in services that run; those of providers are in `test-system`. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";

import { ISSUER, metadata } from "../../test/federation/saml/test-provider.js";
import { startVault, type VaultDouble } from "../../test/platform/secrets/sources/vault-double.js";
import { startBlackHole, type BlackHole } from "../../test-system/black-hole.js";
import { freePort } from "../../test-system/free-port.js";
import { startPrometheus, type Prometheus } from "../../test-system/monitoring/prometheus.js";
import { startPostgres, type PostgresServer } from "../../test-system/postgres-server.js";
import { adminClient, logIn, type AdminClient } from "../../test-system/reliability/admin-client.js";
import { runCommand } from "../../test-system/run-command.js";
import { IN_THE_PAST, startService, type ServiceProcess } from "../../test-system/service-process.js";

const WAIT = { timeout: 90_000, interval: 500 };
/** Seconds, instead of five minutes. */
const EVENTS_AGE = 5;
/** The least that can be set. */
const MAX_EVENTS = 1000;
const CONNECTIONS = 2;
const DEAD = [
  "IdentityErrorBudgetBurns",
  "IdentityErrorBudgetBurnsFast",
  "IdentityErrors",
  "IdentityNotReady",
];

let postgres: PostgresServer;
let hole: BlackHole;
let vault: VaultDouble;
let folder: string;
let policyFile: string;
let service: ServiceProcess;
let replica: ServiceProcess;
let client: AdminClient;
/** Of replicas of one service. */
let ofCluster: Prometheus;
let ofOthers: Prometheus;
const others: ServiceProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-alerts-"));
  postgres = await startPostgres();
  hole = await startBlackHole(postgres.url);
  policyFile = join(folder, "policy.yaml");
  await writeFile(policyFile, "{}");
  const env = {
    IDENTITY_RATE_LIMIT: "on",
    IDENTITY_POLICY_FILE: policyFile,
    IDENTITY_DATABASE_CONNECTIONS: String(CONNECTIONS),
    IDENTITY_EVENTS_WEBHOOK_URL: `http://127.0.0.1:${await freePort()}/events`,
    IDENTITY_EVENTS_WEBHOOK_SECRET: "0123456789abcdef",
    IDENTITY_EVENTS_WEBHOOK_NETWORKS: "127.0.0.0/8",
    IDENTITY_EVENTS_MAX_ROWS: String(MAX_EVENTS),
  };
  service = await startService({ databaseUrl: postgres.url, folder, env });
  replica = await startService({ databaseUrl: hole.through(postgres.url), folder, env });
  client = await adminClient(service.url);
  await startOthers();
  await addProvider();
  const edit = (rules: string) => rules.replace("_age_seconds) > 300", `_age_seconds) > ${EVENTS_AGE}`);
  const watch = async (services: readonly ServiceProcess[]) =>
    startPrometheus(
      await mkdtemp(join(folder, "prometheus-")),
      services.map(({ url }) => url),
      // Metrics of a database that does not answer take two.
      { seconds: 3, edit },
    );
  ofCluster = await watch([service, replica]);
  ofOthers = await watch(others);
}, 180_000);
afterAll(async () => {
  for (const each of [ofCluster, ofOthers]) await each.end();
  for (const each of [...others, replica, service]) await each.kill();
  await vault.close();
  hole.remove();
  postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Services that are at fault from the start, or will be alone. */
async function startOthers(): Promise<void> {
  const own = async (
    name: string,
    options: Omit<Parameters<typeof startService>[0], "databaseUrl" | "folder">,
  ) => {
    const home = await mkdtemp(join(folder, name));
    others.push(
      await startService({ databaseUrl: `sqlite:${join(home, "identity.db")}`, folder: home, ...options }),
    );
    return home;
  };
  await own("full", {
    through: ["/bin/sh", "-c", 'exec "$@" > /dev/full', "sh"],
    env: { IDENTITY_LOG_LEVEL: "info" },
  });
  const key = randomBytes(32).toString("base64");
  const home = await own("key", { env: { IDENTITY_MASTER_KEY: key } });
  vault = await startVault(folder);
  vault.rotate("hamkit-identity");
  const token = join(folder, "token");
  await writeFile(token, vault.addToken(), { mode: 0o600 });
  await own("vault", {
    env: {
      IDENTITY_VAULT_URL: vault.url,
      IDENTITY_VAULT_CA_FILE: vault.caFile,
      IDENTITY_VAULT_TOKEN_FILE: token,
      IDENTITY_MASTER_KEY_SOURCE: "vault",
    },
  });
  const slow = new pg.Client({ connectionString: postgres.url });
  await slow.connect();
  await slow.query("create database slow");
  await slow.end();
  const databaseUrl = postgres.url.replace(/[^/]*$/, "slow");
  others.push(
    await startService({ databaseUrl, folder: await mkdtemp(join(folder, "slow")), env: IN_THE_PAST }),
  );
  await runCommand(["keys", "reseal", "--next-key-file", join(home, "next.key")], {
    PATH: process.env["PATH"] ?? "",
    IDENTITY_DATABASE_URL: `sqlite:${join(home, "identity.db")}`,
    IDENTITY_MASTER_KEY: key,
  });
}

/** Its metadata end in some hours. */
async function addProvider(): Promise<void> {
  const path = "/v3/OS-FEDERATION/identity_providers/acme";
  const rules = [{ remote: [{ type: "REMOTE_USER" }], local: [{ user: { name: "{0}" } }] }];
  const until = new Date(Date.now() + 10 * 3_600_000).toISOString();
  const xml = metadata().replace("EntityDescriptor ", `EntityDescriptor validUntil="${until}" `);
  for (const [place, body] of [
    ["/v3/OS-FEDERATION/mappings/any", { mapping: { rules } }],
    [path, { identity_provider: { enabled: true, domain_id: "default", remote_ids: [ISSUER] } }],
    [
      `${path}/protocols/saml2`,
      { protocol: { mapping_id: "any", settings: { type: "saml2", idp_metadata_xml: xml } } },
    ],
  ] as const)
    expect(await client.ask("PUT", place, body)).toMatchObject({ status: 201 });
}

/** The alerts that fire, after something is done once more. */
function firing(meanwhile: () => unknown = () => {}, prometheus = ofCluster) {
  return async () => {
    await meanwhile();
    return prometheus.firing();
  };
}
const firingAlone = (meanwhile?: () => unknown) => firing(meanwhile, ofOthers);

const validate = () => client.ask("GET", "/v3/users?limit=1");

it("IdentityMasterKeyNotInForce: another process has resealed the secrets", async () => {
  await expect.poll(firingAlone(), WAIT).toContain("IdentityMasterKeyNotInForce");
});

it("IdentityClockSkew: a clock is five minutes behind", async () => {
  await expect.poll(firingAlone(), WAIT).toContain("IdentityClockSkew");
});

it("IdentityMasterKeySourceFails: Vault has gone", async () => {
  await vault.close();
  await expect.poll(firingAlone(), WAIT).toContain("IdentityMasterKeySourceFails");
});

it("IdentityLogLinesDropped: the disk of the log is full", async () => {
  const { url } = others[0] as ServiceProcess;
  const ask = () =>
    Promise.all(Array.from({ length: 2000 }, async () => (await fetch(`${url}/v3`)).arrayBuffer()));
  await expect.poll(firingAlone(ask), WAIT).toContain("IdentityLogLinesDropped");
});

it("IdentityMetadataExpires: the metadata of a provider end today", async () => {
  await expect.poll(firing(), WAIT).toContain("IdentityMetadataExpires acme");
});

it("IdentityEventsWait: the receiver is away", async () => {
  await client.ask("POST", "/v3/projects", { project: { name: "told", domain_id: "default" } });
  await expect.poll(firing(), WAIT).toContain("IdentityEventsWait");
});

it("IdentityEventsDropped: the receiver stays away until there are too many", async () => {
  for (let number = 0; number < 1.1 * MAX_EVENTS; number++)
    expect(await client.ask("POST", "/v3/roles", { role: { name: `told-${number}` } })).toMatchObject({
      status: 201,
    });
  await expect.poll(firing(), WAIT).toContain("IdentityEventsDropped");
});

it("IdentityPolicyRefused and IdentityImpaired: a file that is reloaded has a fault", async () => {
  await writeFile(policyFile, '"identity:get_user": "rule:missing"');
  await expect.poll(firing(), WAIT).toContain("IdentityPolicyRefused");
  await expect.poll(firing(), WAIT).toContain("IdentityImpaired");
  await writeFile(policyFile, "{}");
  await expect.poll(firing(), WAIT).not.toContain("IdentityPolicyRefused");
});

it("IdentityLoginsGuessed: one account's passwords are tried", async () => {
  const guess = () =>
    Promise.all(Array.from({ length: 100 }, () => logIn(service.url, { name: "admin", password: "wrong" })));
  await expect.poll(firing(guess), WAIT).toContain("IdentityLoginsGuessed");
});

it("IdentityConnectionsUsedUp: requests wait for a table that is locked", async () => {
  const holder = new pg.Client({ connectionString: postgres.url });
  await holder.connect();
  await holder.query('begin; lock table "user" in access exclusive mode');
  const waiting: Promise<unknown>[] = [];
  const ask = () => waiting.push(...Array.from({ length: 3 * CONNECTIONS }, validate));
  await expect.poll(firing(ask), WAIT).toContain("IdentityConnectionsUsedUp");
  await holder.end();
  await Promise.all(waiting);
  await expect.poll(firing(), WAIT).not.toContain("IdentityConnectionsUsedUp");
});

it("IdentityRevocationsLate: a replica is cut off from the database, without an end of its connections", async () => {
  const user = { name: "kim", password: "pw-of-kim", domain_id: "default", enabled: true };
  const made = await client.ask("POST", "/v3/users", { user });
  hole.open();
  await client.ask("PATCH", `/v3/users/${made.body.user.id}`, { user: { enabled: false } });
  await expect.poll(firing(), WAIT).toContain("IdentityRevocationsLate");
  hole.close();
  await expect.poll(firing(), WAIT).not.toContain("IdentityRevocationsLate");
});

it("IdentityNotReady, IdentityErrors and the burn of the error budget: PostgreSQL is dead", async () => {
  postgres.stop("immediate");
  const ask = () => Promise.all(Array.from({ length: 50 }, validate));
  await expect.poll(firing(ask), WAIT).toEqual(expect.arrayContaining(DEAD));
  postgres.start();
  await expect.poll(firing(), WAIT).not.toContain("IdentityNotReady");
  await expect.poll(validate, WAIT).toMatchObject({ status: 200 });
});

it("IdentityDown: a replica was killed", async () => {
  await replica.kill();
  await expect.poll(firing(), WAIT).toContain("IdentityDown");
});
