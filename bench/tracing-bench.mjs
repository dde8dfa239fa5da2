/** What traces cost: processor time of each request, beside a service without a collector. */
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

import { login, passwordBody, serve } from "./identity-service.mjs";
import { costsOf } from "./request-costs.mjs";

/** Of the processor time of a request without traces, where one of a hundred requests is traced. */
const LIMIT_PERCENT = 105;
const NO_TRACES = "no traces";
const SOME_TRACES = "1 of 100 requests traced";
export const isLong = true;

export async function bench({ row }) {
  const collector = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const IDENTITY_TRACES_URL = `http://127.0.0.1:${collector.address().port}/v1/traces`;
  const kinds = {
    [NO_TRACES]: start({}),
    [SOME_TRACES]: start({ IDENTITY_TRACES_URL, IDENTITY_TRACES_PERCENT: "1" }),
    "all requests traced": start({ IDENTITY_TRACES_URL, IDENTITY_TRACES_PERCENT: "100" }),
  };
  for (const { work, microseconds, others } of await costsOf(kinds, REQUESTS)) {
    row({ work: `${work}, ${NO_TRACES}`, hamkit: microseconds, unit: "µs" });
    for (const { name, percent, range } of others)
      row({
        work: `  ${name} (${range})`,
        hamkit: percent,
        unit: "%",
        ...(name === SOME_TRACES && { limit: LIMIT_PERCENT }),
      });
  }
  collector.close();
}

function start(settings) {
  return async (folder) => {
    const databaseUrl = `sqlite:${join(folder, "identity.db")}`;
    const service = await serve({ folder, databaseUrl, settings });
    return { ...service, token: await login(service.url, passwordBody({ system: { all: true } })) };
  };
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
