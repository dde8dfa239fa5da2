/** Many concurrent writers of limits, on two connection pools. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { COMPUTE, addProject, addService, limitServer } from "../../test/limits/limit-server.js";
import type { FeatureServer } from "../../test/feature-server.js";
import { postgresDatabases } from "../../test/databases.js";
import { migratedDatabase } from "../../test/migrated-databases.js";

const WRITERS = 64;
const ROUNDS = 5;

let services: FeatureServer[];
let limitIds: { readonly domain: string; readonly projects: readonly string[] };

beforeEach(async () => {
  // The second one sees the tables of the first.
  const place = await migratedDatabase(postgresDatabases);
  const shared = {
    ...postgresDatabases,
    isShared: true,
    create: async () => ({ url: place.url, remove: async () => {} }),
  } as const;
  const first = await limitServer(shared, { model: "strict_two_level" });
  services = [first, await limitServer(shared, { model: "strict_two_level" })];
  await addService(first.database, COMPUTE);
  await addProject(first.database, { id: "dom" });
  const projects = Array.from({ length: WRITERS / 2 }, (_, index) => `p${index}`);
  for (const id of projects) await addProject(first.database, { id, domainId: "dom" });
  const key = { service_id: COMPUTE, resource_name: "a" };
  await first.ask("POST", "/v3/registered_limits", {
    body: { registered_limits: [{ ...key, default_limit: 100 }] },
  });
  const ofProject = (project_id: string) => ({ ...key, project_id, resource_limit: 1 });
  const made = await first.ask("POST", "/v3/limits", {
    body: {
      limits: [{ ...key, domain_id: "dom", resource_limit: 100 }, ...projects.map(ofProject)],
    },
  });
  const [domain, ...others] = made.body.limits.map(({ id }: { id: string }) => id);
  limitIds = { domain, projects: others };
});
afterEach(async () => {
  for (const service of services) await service.close();
});

it("leaves every project within its domain while 64 writers raise projects and lower domains", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const isOfProject = writer % 2 === 0;
        const id = isOfProject ? (limitIds.projects[writer / 2] ?? "") : limitIds.domain;
        const resource_limit = 1 + ((writer * 37 + round * 11) % 100);
        const service = services[(writer >> 1) % services.length] as FeatureServer;
        const { status } = await service.ask("PATCH", `/v3/limits/${id}`, {
          body: { limit: { resource_limit } },
        });
        return { id, status, resource_limit };
      }),
    );
    // Each was done or refused: none had to give up.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
    const stored = await currentLimits();
    const domain = stored.get(limitIds.domain) ?? 0;
    for (const id of limitIds.projects) expect(stored.get(id)).toBeLessThanOrEqual(domain);
    // One writer per project: its last acknowledged write is stored.
    const done = answers.filter(({ id, status }) => status === 200 && id !== limitIds.domain);
    for (const { id, resource_limit } of done) expect(stored.get(id)).toBe(resource_limit);
  }
}, 60_000);

it("makes each of the same limits that 64 writers create at once only once", async () => {
  const [first] = services as [FeatureServer];
  for (const id of limitIds.projects) await first.ask("DELETE", `/v3/limits/${id}`);
  const limits = [{ service_id: COMPUTE, resource_name: "a", project_id: "p0", resource_limit: 1 }];
  const statuses = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const service = services[writer % services.length] as FeatureServer;
      return (await service.ask("POST", "/v3/limits", { body: { limits } })).status;
    }),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(WRITERS - 1);
}, 60_000);

/** The limits in the database, past any cache. */
async function currentLimits(): Promise<Map<string, number>> {
  interface Tables {
    readonly limit: { id: string; resource_limit: number };
  }
  const [first] = services as [FeatureServer];
  const rows = await first.database
    .tables<Tables>()
    .selectFrom("limit")
    .select(["id", "resource_limit"])
    .execute();
  return new Map(rows.map(({ id, resource_limit }) => [id, resource_limit]));
}
