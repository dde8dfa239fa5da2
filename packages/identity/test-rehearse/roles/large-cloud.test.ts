/** The whole list of effective assignments of a domain with 1,500 projects and 150 users: what it costs the process. */
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabases } from "../../test/databases.js";
import { inDomain } from "../../test/feature-server.js";
import { roleWorld } from "../../test/roles/role-world.js";
import { postgresDatabases } from "../../test-system/postgres-databases.js";

const PROJECTS = 1500;
const USERS = 150;
const MAX_GROWTH_MIB = 100;
const MAX_STALL_MS = 50;

interface Cost {
  readonly items: number;
  readonly bytes: number;
  readonly growthMiB: number;
  readonly stallMs: number;
  readonly seconds: number;
}

async function costOf(databases: TestDatabases, isDirect: boolean): Promise<Cost> {
  const world = await roleWorld(databases);
  const [a, b] = [await world.role("a"), await world.role("b")];
  await world.imply(a, b);
  const tables = world.database.tables<Record<string, object>>();
  const insert = async (table: string, rows: readonly object[]) => {
    for (let start = 0; start < rows.length; start += 500)
      await tables
        .insertInto(table)
        .values(rows.slice(start, start + 500) as never)
        .execute();
  };
  const id = (index: number) => String(index).padStart(32, "0");
  const list = (count: number) => Array.from({ length: count }, (_, index) => id(index));
  const extra = { options: "{}", extra: "{}", enabled: true };
  const project = { domain_id: "d2", parent_id: "d2", is_domain: false, description: "", ...extra };
  const user = { domain_id: "d2", created_at: 0, failed_logins: 0, is_federated: false, ...extra };
  await insert(
    "project",
    list(PROJECTS).map((each) => ({ id: each, name: each, ...project })),
  );
  await insert(
    "user",
    list(USERS).map((each) => ({ id: each, name: each, ...user })),
  );
  const grant = { group_id: null, role_id: a, is_inherited: false };
  if (isDirect)
    for (const target_id of list(PROJECTS))
      await insert(
        "assignment",
        list(USERS).map((user_id) => ({ ...grant, user_id, target_kind: "project", target_id })),
      );
  else {
    await insert(
      "group_member",
      list(USERS).map((user_id) => ({ group_id: "guests", user_id })),
    );
    await world.put(`/OS-INHERIT/domains/d2/groups/guests/roles/${a}/inherited_to_projects`);
  }
  await world.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = world.server.server.address() as AddressInfo;
  const ask = () =>
    new Promise<{ bytes: number; items: number }>((resolve, reject) => {
      const headers = { "x-auth-token": JSON.stringify(inDomain("d2", "reader")) };
      const path = "/v3/role_assignments?effective";
      get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        let bytes = 0;
        let items = 0;
        let tail = "";
        response.on("data", (data: Buffer) => {
          bytes += data.length;
          const text = tail + data.toString("latin1");
          items += text.split('"role":{').length - 1;
          tail = text.slice(-7);
        });
        response.on("end", () => resolve({ bytes, items }));
        response.on("error", reject);
      }).on("error", reject);
    });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const begun = performance.now();
  const { bytes, items } = await ask();
  const seconds = (performance.now() - begun) / 1000;
  delays.disable();
  clearInterval(watch);
  await world.close();
  return { items, bytes, growthMiB: (peak - before) / 2 ** 20, stallMs: delays.max / 1e6, seconds };
}

describe.each([sqliteDatabases, postgresDatabases])(
  "the assignments of a large domain on $name",
  (databases) => {
    it.each([
      ["by a group that all projects inherit", false],
      ["by a grant each", true],
    ])("are sent in bounded memory and without a stall: %s", async (_name, isDirect) => {
      const cost = await costOf(databases, isDirect);
      console.log(databases.name, _name, JSON.stringify(cost));
      expect(cost.items).toBe((PROJECTS + (isDirect ? 0 : 1)) * USERS * 2);
      expect(cost.growthMiB).toBeLessThan(MAX_GROWTH_MIB);
      expect(cost.stallMs).toBeLessThan(MAX_STALL_MS);
    });
  },
);
