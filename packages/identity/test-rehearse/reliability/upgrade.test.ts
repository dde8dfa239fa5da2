/** The last release and today's build exchange places, forwards and back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { MAIN } from "../../test-system/run-command.js";
import { freePort } from "../../test-system/free-port.js";
import { runProgram } from "../../test-system/run-program.js";
import { startService, type ServiceProcess } from "../../test-system/service-process.js";
import { adminClient, validationStatus } from "../../test-system/reliability/admin-client.js";
import { halfWritten } from "../../test-system/reliability/half-written.js";
import { HAPROXY_RISE_MS, startHaproxy } from "../../test-system/reliability/haproxy.js";
import { prepareLoad, startLoad } from "../../test-system/reliability/load/mixed-load.js";
import { emptyLedger, lostIn, startWriters, type Ledger } from "../../test-system/reliability/writers.js";
import {
  buildLastRelease,
  byVersion,
  type Release,
} from "../../test-system/reliability/upgrade/last-release.js";
import { expectMutualTokens } from "../../test-system/reliability/upgrade/mutual-tokens.js";

const PER_SECOND = 20;
/** As `deploy/haproxy.cfg` needs it: `inter * fall`, and two seconds. */
const SHUTDOWN_DELAY = "4";

let release: Release;
beforeAll(async () => {
  release = await buildLastRelease();
}, 180_000);
afterAll(() => release.remove());

it("replicas of the last release are replaced, and put back, without a failed request or a lost write", async () => {
  const database = await postgresDatabases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-upgrade-"));
  const replicas: ServiceProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const ports = [await freePort(), await freePort()];
  const env = {
    IDENTITY_SHUTDOWN_DELAY: SHUTDOWN_DELAY,
    IDENTITY_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
  };
  const start = (main: string, port: number) =>
    startService({ databaseUrl: database.url, folder, main, port, env });
  for (const port of ports) replicas.push(await start(release.main, port));
  const urls = replicas.map(({ url }) => url);
  const url = await startHaproxy(folder, ports);
  const issuer = await prepareLoad({ url });
  const load = await startLoad(issuer, { url, perSecond: PER_SECOND });
  onTestFinished(() => load.stop());

  /** One after the other; while they differ, and after, each has to trust the other's tokens. */
  const replaceAll = async (main: string) => {
    for (const [index, port] of ports.entries()) {
      // Ends with exit code 0, or this throws.
      await replicas[index]?.stop();
      replicas[index] = await start(main, port);
      await delay(HAPROXY_RISE_MS);
      await expectMutualTokens(urls, issuer);
    }
  };

  await delay(1000);
  expect(await migrate(MAIN, database.url)).toMatchObject({ exit: 0, errors: "" });
  await expectMutualTokens(urls, issuer);
  await replaceAll(MAIN);
  await replaceAll(release.main);
  await load.stop();

  expect(load.failures()).toEqual({});
  expect(load.ledger.unexpected).toEqual([]);
  expect(load.counts().requests).toBeGreaterThan(10 * PER_SECOND);
  expect(load.ledger.present.size).toBeGreaterThan(20);
  const admin = await adminClient(url);
  expect(await lostIn(admin, load.ledger)).toEqual([]);
  expect(await halfWritten(database.url)).toEqual([]);
  // The release that went back has nothing to migrate, and says nothing about the newer schema.
  expect(await migrate(release.main, database.url)).toEqual({
    exit: 0,
    output: "The database is up to date.\n",
    errors: "",
  });
}, 600_000);

it.each([
  ["today's build", "the last release"],
  ["the last release", "today's build"],
] as const)(
  "a SQLite file that %s has made is run by %s, and again by the first",
  async (first, second) => {
    const mains = { "today's build": MAIN, "the last release": release.main };
    const place = await sqliteDatabases.create();
    const folder = await mkdtemp(join(tmpdir(), "hamkit-upgrade-"));
    onTestFinished(async () => {
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });
    const ledger = emptyLedger();
    const tokens: string[] = [];
    for (const [turn, by] of [first, second, first].entries()) {
      const service = await startService({ databaseUrl: place.url, folder, main: mains[by] });
      try {
        const admin = await adminClient(service.url);
        // What those before have issued and written.
        for (const subject of tokens)
          expect(await validationStatus(service.url, { token: admin.token, subject })).toBe(200);
        expect(await lostIn(admin, ledger)).toEqual([]);
        tokens.push(admin.token);
        await writeFor(1000, { admin, ledger, prefix: `w${turn}` });
      } finally {
        await service.stop();
      }
    }
    expect(ledger.unexpected).toEqual([]);
    expect([...ledger.counts.keys()].filter((status) => status >= 300 || status === 0)).toEqual([]);
    expect(ledger.counts.get(201)).toBeGreaterThan(10);
    expect(await halfWritten(place.url)).toEqual([]);
  },
  120_000,
);

it("the last release is that of the highest version", () => {
  expect(["0.10.0", "0.2.0", "0.9.1"].toSorted(byVersion)).toEqual(["0.2.0", "0.9.1", "0.10.0"]);
});

function migrate(main: string, databaseUrl: string) {
  const env = { IDENTITY_DATABASE_URL: databaseUrl };
  return runProgram([process.execPath, main, "migrate"], { env });
}

interface Written {
  readonly admin: Awaited<ReturnType<typeof adminClient>>;
  readonly ledger: Ledger;
  readonly prefix: string;
}

async function writeFor(ms: number, { admin, ledger, prefix }: Written): Promise<void> {
  const { body } = await admin.ask("GET", "/v3/roles?name=member");
  const writers = startWriters({
    client: admin,
    ledger,
    prefix,
    roleId: String(body.roles[0].id),
    writers: 2,
  });
  await delay(ms);
  await writers.stop();
}
