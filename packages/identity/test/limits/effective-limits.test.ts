/** Effective limits of a project: its own, or the registered default. */
import { afterEach, describe, expect, it } from "vitest";

import type { EnforcementModel } from "../../src/limits/tree/enforcement.js";
import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED, type FeatureServer } from "../feature-server.js";
import { COMPUTE, VOLUME, addProject, addService, limitServer, remove } from "./limit-server.js";

interface Tables {
  readonly registered_limit: {
    readonly id: string;
    readonly service_id: string;
    readonly resource_name: string;
    readonly default_limit: number;
  };
}

let service: FeatureServer;
afterEach(() => service.close());

async function start(model: EnforcementModel): Promise<void> {
  service = await limitServer(databases, { model });
  for (const id of ["d1", "d2"]) {
    await addProject(service.database, { id });
    await addProject(service.database, { id: `${id}p1`, domainId: id });
  }
  for (const id of [COMPUTE, VOLUME]) await addService(service.database, id);
  const registered_limits = ["a", "b", "c"].map((resource_name) => ({
    service_id: COMPUTE,
    resource_name,
    default_limit: 10,
  }));
  await service.ask("POST", "/v3/registered_limits", { body: { registered_limits } });
  const of = (limit: object) => ({ service_id: COMPUTE, ...limit });
  const limits = [
    of({ project_id: "d1p1", resource_name: "a", resource_limit: 4 }),
    of({ domain_id: "d1", resource_name: "a", resource_limit: 5 }),
    of({ domain_id: "d1", resource_name: "b", resource_limit: 6 }),
  ];
  await service.ask("POST", "/v3/limits", { body: { limits } });
}

const effective = (query: string, as?: Parameters<FeatureServer["ask"]>[2]) =>
  service.ask("GET", `/v3/limits/effective?${query}`, as);
interface Held {
  readonly resource_name: string;
  readonly resource_limit: number;
  readonly source: string;
}
const held = async (query: string) =>
  (await effective(query)).body.effective_limits
    .map((limit: Held) => `${limit.resource_name} ${limit.resource_limit} ${limit.source}`)
    .toSorted();

describe(`limits that hold on ${databases.name}`, () => {
  it("are the project's own or the default, where limits are flat", async () => {
    await start("flat");
    expect(await held("project_id=d1p1")).toEqual([
      "a 4 own",
      "b 10 registered_default",
      "c 10 registered_default",
    ]);
  });

  it("are at most the domain's, where they have two levels", async () => {
    await start("strict_two_level");
    expect(await held("project_id=d1p1")).toEqual(["a 4 own", "b 6 domain", "c 10 registered_default"]);
    expect(await held("project_id=d1")).toEqual(["a 5 own", "b 6 own", "c 10 registered_default"]);
    expect(await held("project_id=d2p1")).toEqual(
      ["a", "b", "c"].map((name) => `${name} 10 registered_default`),
    );
  });

  it("identify their limits", async () => {
    await start("strict_two_level");
    const { body } = await effective("project_id=d1p1&resource_name=b");
    const { limits } = (await service.ask("GET", "/v3/limits?domain_id=d1&resource_name=b")).body;
    const { registered_limits: registered } = (
      await service.ask("GET", "/v3/registered_limits?resource_name=b")
    ).body;
    expect(body).toEqual({
      effective_limits: [
        {
          service_id: COMPUTE,
          region_id: null,
          resource_name: "b",
          registered_limit_id: registered[0].id,
          resource_limit: 6,
          source: "domain",
          limit_id: limits[0].id,
        },
      ],
      links: {
        next: null,
        previous: null,
        self: "http://127.0.0.1:5900/v3/limits/effective?project_id=d1p1&resource_name=b",
      },
    });
  });

  it("are filtered, and come in pages", async () => {
    await start("flat");
    expect(await held(`project_id=d1p1&service_id=${VOLUME}`)).toEqual([]);
    const first = (await effective("project_id=d1p1&limit=2")).body;
    expect(first).toMatchObject({ effective_limits: { length: 2 }, truncated: true });
    const rest = await held(first.links.next.split("?")[1]);
    expect(rest).toHaveLength(1);
  });

  it("are sent whole, in slices, where there are thousands", async () => {
    await start("flat");
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      id: `r${String(index).padStart(4, "0")}`,
      service_id: VOLUME,
      resource_name: `n${index}`,
      default_limit: 1,
    }));
    for (let begin = 0; begin < rows.length; begin += 500)
      await service.database
        .tables<Tables>()
        .insertInto("registered_limit")
        .values(rows.slice(begin, begin + 500))
        .execute();
    const { body } = await effective(`project_id=d1p1&service_id=${VOLUME}`);
    expect(body.effective_limits.map((limit: Held) => limit.resource_name)).toEqual(
      rows.map((row) => row.resource_name),
    );
    expect(Object.keys(body.effective_limits[2400])).not.toContain("id");
    expect(body.links.next).toBeNull();
  });

  it("are those after each change, and after what ends limits", async () => {
    await start("flat");
    const own = (await service.ask("GET", "/v3/limits?project_id=d1p1")).body.limits[0];
    expect(await held("project_id=d1p1&resource_name=a")).toEqual(["a 4 own"]);
    await service.ask("PATCH", `/v3/limits/${own.id}`, { body: { limit: { resource_limit: 0 } } });
    expect(await held("project_id=d1p1&resource_name=a")).toEqual(["a 0 own"]);
    await service.ask("DELETE", `/v3/limits/${own.id}`);
    expect(await held("project_id=d1p1&resource_name=a")).toEqual(["a 10 registered_default"]);
    await remove(service.database, "service", COMPUTE);
    expect(await held("project_id=d1p1")).toEqual([]);
    await remove(service.database, "project", "d1p1");
    expect((await effective("project_id=d1p1")).status).toBe(404);
  });

  it("are shown to callers who may see a limit of the project", async () => {
    await start("flat");
    const statusFor = async (as: Parameters<FeatureServer["ask"]>[2], id = "d1p1") =>
      (await effective(`project_id=${id}`, as)).status;
    const allowed = [
      SYSTEM_READER,
      inDomain("d1", "member"),
      inProject("d1p1", "d1", "reader"),
      inProject("d2p1", "d2", "admin"),
    ];
    for (const as of allowed) expect(await statusFor({ as })).toBe(200);
    const refused = [UNSCOPED, inDomain("d2", "member"), inProject("d2p1", "d2", "reader")];
    for (const as of refused) {
      expect(await statusFor({ as })).toBe(403);
      expect(await statusFor({ as }, "nope")).toBe(403);
    }
    expect(await statusFor({ as: null })).toBe(401);
    expect(await statusFor({}, "nope")).toBe(404);
    expect((await service.ask("GET", "/v3/limits/effective")).status).toBe(400);
  });
});
