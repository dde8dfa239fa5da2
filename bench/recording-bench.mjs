/**
 * The cost of recording a login, in processor time of the service: of logins forwarded by a front end, which cost least, so that the share
 * is the largest. Rounds with and without recording take turns.
 */
import { login, onEachDatabase, passwordBody, processorSeconds, put } from "./identity-service.mjs";

const CONNECTIONS = 8;
const LOGINS = 2000;
const ROUNDS = 3;
const USERS = 1000;
const SECRET = "a-secret-of-bench-and-service";
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/forwarded";
const PROTOCOL = `${PROVIDER}/protocols/login`;
const RULES = [
  { remote: [{ type: "name" }, { type: "groups" }], local: [{ user: { id: "{0}", name: "{0}" } }] },
];

export async function bench({ row }) {
  const settings = {
    IDENTITY_LOGIN_RECORDING: "on",
    IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Assertion",
    IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
    IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
    IDENTITY_REMOTE_ID_ATTRIBUTE: "provider",
    IDENTITY_LOG_LEVEL: "warn",
  };
  await onEachDatabase(settings, row, measure);
}

async function measure(name, { url, pid }, row) {
  const headers = { "x-auth-token": await login(url, passwordBody({ system: { all: true } })) };
  await put(url, "/v3/OS-FEDERATION/mappings/bench", headers, { mapping: { rules: RULES } });
  const provider = { enabled: true, domain_id: "default", remote_ids: ["front-end"] };
  await put(url, PROVIDER, headers, { identity_provider: provider });
  await put(url, PROTOCOL, headers, { protocol: { mapping_id: "bench", settings: { type: "forwarded" } } });
  const recording = (method) =>
    fetch(`${url}${PROTOCOL}/recording`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(method === "PUT" && { body: JSON.stringify({ recording: { attributes: ["name", "groups"] } }) }),
    });
  // Users exist, and the code is compiled.
  await logIn(url);
  const costs = { plain: [], recorded: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ["plain", "recorded"]) {
      await recording(kind === "plain" ? "DELETE" : "PUT");
      const before = processorSeconds(pid);
      await logIn(url);
      // The last ones are written, too.
      await new Promise((resolve) => {
        setTimeout(resolve, 2500);
      });
      costs[kind].push(((processorSeconds(pid) - before) / LOGINS) * 1e6);
    }
  const [plain, recorded] = [median(costs.plain), median(costs.recorded)];
  row({ work: `${name}: login, processor time`, hamkit: plain, unit: "µs" });
  row({ work: `${name}: recorded login, processor time`, hamkit: recorded, unit: "µs" });
  row({ work: `${name}: recording costs more, in percent`, hamkit: (recorded / plain - 1) * 100, unit: "%" });
}

async function logIn(url) {
  let next = 0;
  const one = async () => {
    while (next < LOGINS) {
      const name = `user-${next++ % USERS}`;
      const assertion = { name, groups: "staff;operators;devs", provider: "front-end" };
      const response = await fetch(`${url}${PROTOCOL}/auth`, {
        headers: {
          "x-assertion": Buffer.from(JSON.stringify(assertion)).toString("base64"),
          "x-forwarded-assertion-secret": SECRET,
        },
      });
      if (response.status !== 201) throw new Error(`login: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
