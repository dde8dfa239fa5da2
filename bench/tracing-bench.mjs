/** What traces cost: processor time of each request, beside a service without a collector. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { login, microsecondsOf, passwordBody, serve, stop } from "./identity-service.mjs";

/** Of the processor time of a request without traces, where one of a hundred requests is traced. */
const LIMIT_PERCENT = 105;
const NO_TRACES = "no traces";
/** Of each kind: processes that do the same differ by up to 14 %. */
const PROCESSES = 3;
export const isLong = true;

export async function bench({ row }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-bench-"));
  const collector = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const url = `http://127.0.0.1:${collector.address().port}/v1/traces`;
  const services = [];
  const kinds = [
    [NO_TRACES, {}],
    ["1 of 100 requests traced", { IDENTITY_TRACES_URL: url, IDENTITY_TRACES_PERCENT: "1" }],
    ["all requests traced", { IDENTITY_TRACES_URL: url, IDENTITY_TRACES_PERCENT: "100" }],
  ];
  try {
    for (let process = 0; process < PROCESSES; process++)
      for (const [name, settings] of kinds)
        services.push([name, await start(join(folder, String(services.length)), settings)]);
    for (const [work, requestTo] of Object.entries(REQUESTS)) {
      const costs = await microsecondsOf(services, requestTo);
      const without = costs.get(NO_TRACES);
      row({ work: `${work}, ${NO_TRACES}`, hamkit: without, unit: "µs" });
      for (const [name, cost] of costs)
        if (name !== NO_TRACES)
          row({
            work: `  ${name}`,
            hamkit: (100 * cost) / without,
            unit: "%",
            ...(name.startsWith("1 ") && { limit: LIMIT_PERCENT }),
          });
    }
  } finally {
    for (const [, { child }] of services) await stop(child);
    collector.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(folder, settings) {
  mkdirSync(folder);
  const databaseUrl = `sqlite:${join(folder, "identity.db")}`;
  const service = await serve({ folder, databaseUrl, settings });
  return { ...service, token: await login(service.url, passwordBody({ system: { all: true } })) };
}

const REQUESTS = {
  "validate a token": ({ token }) => ({
    path: "/v3/auth/tokens",
    headers: { "x-auth-token": token, "x-subject-token": token },
    connections: 16,
  }),
  "login by token": ({ token }) => ({
    path: "/v3/auth/tokens",
    method: "POST",
    body: {
      auth: {
        identity: { methods: ["token"], token: { id: token } },
        scope: { project: { name: "admin", domain: { id: "default" } } },
      },
    },
  }),
  "list users": ({ token }) => ({ path: "/v3/users", headers: { "x-auth-token": token } }),
};
