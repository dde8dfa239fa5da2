/** What rules of policy files cost: processor time of each request, beside that of the same process without rules. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { login, passwordBody, post, serve } from "./identity-service.mjs";
import { costsOfChanges } from "./request-costs.mjs";

/** Of the processor time of a request without rules of files. */
const LIMIT_PERCENT = 105;
const NO_RULES = "no rules";
export const isLong = true;

const RULES = {
  "rules by role and domain": {
    "identity:get_user":
      "rule:admin_required or (role:reader and domain_id:%(target.user.domain_id)s) or user_id:%(target.user.id)s",
    "identity:get_project": "rule:admin_required or project_id:%(target.project.id)s",
    "identity:list_users": "rule:admin_required or role:auditor",
    "identity:validate_token": "rule:admin_required or (role:reader and system_scope:all) or role:service",
  },
  "rules by members of tokens and targets": {
    "identity:get_user":
      "(True:%(target.user.enabled)s and token.user.domain.id:%(target.user.domain_id)s) or role:nobody",
    "identity:get_project": "token.methods:password and True:%(target.project.enabled)s",
    "identity:list_users": "token.methods:password",
    "identity:validate_token": "token.methods:password",
  },
};

export async function bench({ row }) {
  const kinds = { [NO_RULES]: put({}) };
  for (const [name, rules] of Object.entries(RULES)) kinds[name] = put(rules);
  for (const { work, microseconds, others } of await costsOfChanges(start, kinds, ROUTES)) {
    row({ work: `GET ${work}, ${NO_RULES}`, hamkit: microseconds, unit: "µs" });
    for (const { name, percent, range } of others)
      row({ work: `  ${name} (${range})`, hamkit: percent, unit: "%", limit: LIMIT_PERCENT });
  }
}

/** Of a process that rereads its files: two equal readings apply. */
const READING_MS = 30;

const put =
  (rules) =>
  async ({ file, child }) => {
    writeFileSync(file, JSON.stringify(rules));
    for (let reading = 0; reading < 2; reading++) {
      child.kill("SIGHUP");
      await delay(READING_MS);
    }
  };

async function start(folder) {
  const file = join(folder, "policy.json");
  writeFileSync(file, "{}");
  const databaseUrl = `sqlite:${join(folder, "identity.db")}`;
  const service = await serve({ folder, databaseUrl, settings: { IDENTITY_POLICY_FILE: file } });
  const { url } = service;
  const headers = { "x-auth-token": await login(url, passwordBody({ system: { all: true } })) };
  const { user } = await post(url, "/v3/users", headers, { user: { name: "bench" } });
  const { project } = await post(url, "/v3/projects", headers, { project: { name: "bench" } });
  for (let number = 1; number < 20; number++)
    await post(url, "/v3/users", headers, { user: { name: `bench-${number}` } });
  return { ...service, file, headers, userId: user.id, projectId: project.id };
}

const ROUTES = {
  "a user": ({ headers, userId }) => ({ path: `/v3/users/${userId}`, headers }),
  "a project": ({ headers, projectId }) => ({ path: `/v3/projects/${projectId}`, headers }),
  "20 users": ({ headers }) => ({ path: "/v3/users?limit=20", headers }),
  "a token": ({ headers }) => ({
    path: "/v3/auth/tokens",
    headers: { ...headers, "x-subject-token": headers["x-auth-token"] },
  }),
};
