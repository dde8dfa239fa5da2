/** Requests per second of the identity service, one process, asked by another; beside a real Keystone with two. */
import { besideBare, best, load, login, onEachDatabase, passwordBody, post } from "./identity-service.mjs";

const ROLES = 100;
const REGISTERED_LIMITS = 10_000;
/** As many as fit into one request. */
const LIMITS_AT_ONCE = 500;
const CLOUD_SERVICES = 20;

export async function bench({ row }) {
  await onEachDatabase({}, row, loadIdentity);
}

/** All requests of the benchmark. */
export async function loadIdentity(name, { url, startMs }, row) {
  const measureOne = async (work, path, limits, options) => {
    const { requests, latency } = await best(`${url}${path}`, options);
    row({ work: `${name}: ${work}`, hamkit: requests.average, ...limits });
    return latency;
  };
  /** @param share Of the requests of a bare server that sends the same bytes. */
  const measureBeside = async (work, path, { share, ...limits }, options) => {
    const { ours, bare } = await besideBare(url, path, options);
    const others = [{ name: "bare fastify", figure: bare.requests.average }];
    const limit = Math.max(limits.limit ?? 0, (share ?? 0) * bare.requests.average);
    row({ work: `${name}: ${work}`, hamkit: ours.requests.average, ...limits, limit, others });
    return ours.latency;
  };
  row({ work: `${name}: start, first start`, hamkit: startMs, unit: "ms", limit: 1000 });
  await measureBeside("GET /v3", "/v3", { peer: 3400, share: 0.75 });

  const unscoped = await login(url, passwordBody());
  const system = await login(url, passwordBody({ system: { all: true } }));
  const project = await login(url, passwordBody({ project: { name: "admin", domain: { id: "default" } } }));
  const headers = { "x-auth-token": system };
  const roles = [];
  for (let number = 0; number < ROLES; number++) {
    const { role } = await post(url, "/v3/roles", headers, { role: { name: `bench-${number}` } });
    roles.push(role.id);
  }

  const validate = { headers: { ...headers, "x-subject-token": project }, connections: 16 };
  const quiet = await measureBeside(
    "validate a token",
    "/v3/auth/tokens",
    { peer: 471, limit: 5000, share: 0.5 },
    validate,
  );
  row({ work: "  99 of 100 answered within", hamkit: quiet.p99, unit: "ms", peer: 12 });
  await measureBeside(
    "login by token",
    "/v3/auth/tokens",
    { peer: 419, limit: 2000 },
    {
      method: "POST",
      body: {
        auth: {
          identity: { methods: ["token"], token: { id: unscoped } },
          scope: { project: { name: "admin", domain: { id: "default" } } },
        },
      },
    },
  );
  await measureOne("GET one of 100 roles", `/v3/roles/${roles[50]}`, { limit: 6000 }, { headers });
  await measureOne("GET 100 roles", "/v3/roles?limit=100", {}, { headers });

  const logins = load(`${url}/v3/auth/tokens`, { method: "POST", body: passwordBody(), connections: 8 });
  const beside = await load(`${url}/v3/auth/tokens`, validate);
  const { requests } = await logins;
  row({ work: `${name}: login by password, 8 at a time`, hamkit: requests.average, peer: 7.3 });
  row({
    work: "  meanwhile 99 of 100 tokens validated within",
    hamkit: beside.latency.p99,
    unit: "ms",
    limit: 50,
  });
  await addCatalog(url, headers);
  await measureBeside("validate a token, 20 services", "/v3/auth/tokens", { share: 0.5 }, validate);
  await measureLimits(url, { headers, measureOne });
}

/** A cloud's: some services have the project in their URLs. */
async function addCatalog(url, headers) {
  for (let number = 0; number < CLOUD_SERVICES; number++) {
    const { service } = await post(url, "/v3/services", headers, { service: { type: `bench-${number}` } });
    const path = number < CLOUD_SERVICES / 5 ? "/$(project_id)s" : "";
    const endpoint = { service_id: service.id, url: `https://cloud.example.org:${9000 + number}/v1${path}` };
    for (const offeredTo of ["public", "internal", "admin"])
      await post(url, "/v3/endpoints", headers, { endpoint: { ...endpoint, interface: offeredTo } });
  }
}

/** Each request has its token checked too. */
async function measureLimits(url, { headers, measureOne }) {
  const { service } = await post(url, "/v3/services", headers, { service: { type: "bench" } });
  const ids = [];
  for (let from = 0; from < REGISTERED_LIMITS; from += LIMITS_AT_ONCE) {
    const drafts = Array.from({ length: LIMITS_AT_ONCE }, (_, index) => ({
      service_id: service.id,
      resource_name: `resource-${from + index}`,
      default_limit: 10,
    }));
    const made = await post(url, "/v3/registered_limits", headers, { registered_limits: drafts });
    ids.push(...made.registered_limits.map(({ id }) => id));
  }
  const body = { project: { name: "bench", domain_id: "default" } };
  const { project } = await post(url, "/v3/projects", headers, body);
  const path = "/v3/registered_limits";
  await measureOne("GET 100 registered limits", `${path}?limit=100`, { limit: 4000, peer: 146 }, { headers });
  await measureOne("GET one of 10,000 of them", `${path}/${ids[50]}`, { limit: 6000 }, { headers });
  const effective = `/v3/limits/effective?project_id=${project.id}&limit=100`;
  await measureOne("100 limits that hold", effective, { limit: 3000 }, { headers });
}
