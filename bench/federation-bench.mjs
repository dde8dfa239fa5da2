/** Logins by identity providers per second, one process, asked by another; beside a real Keystone with two. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startOpenIdProvider } from "./federation-openid.mjs";
import { samlMetadata, samlResponse } from "./federation-saml.mjs";
import { best, load, login, onEachDatabase, passwordBody, put } from "./identity-service.mjs";

const SENDER = fileURLToPath(new URL("sender.mjs", import.meta.url));
const CONNECTIONS = 8;
const SECONDS = 4;
const USERS = 1000;
/** What is asked for at a time: logins by SAML, and what others ask for meanwhile. */
const LOGINS_PER_SECOND = 105;
const OTHERS_PER_SECOND = 500;
const SECRET = "a-secret-of-bench-and-service";
const PROVIDERS = "/v3/OS-FEDERATION/identity_providers";
/** Each provider has its own: none may bring another's. */
const usersOf = (provider) => Array.from({ length: USERS }, (_, number) => `${provider}-${number}`);
const RULES = [
  {
    remote: [{ type: "name" }, { type: "groups", any_one_of: ["staff", "operators"] }],
    local: [{ user: { name: "{0}", email: "{0}@example.org" } }],
  },
];

export async function bench({ row }) {
  await loadFederation(row, (name, service, sendRequests) => sendRequests(name, service, row));
}

/** @param measure Called for each database, with the function that sends all requests of the benchmark. */
export async function loadFederation(row, measure) {
  const openId = await startOpenIdProvider();
  const settings = {
    IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Assertion",
    IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
    IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
    IDENTITY_REMOTE_ID_ATTRIBUTE: "provider",
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
  };
  try {
    const sendRequests = (name, { url }, addRow) => sendAll({ name, url, openId, row: addRow });
    await onEachDatabase(settings, row, (name, service) => measure(name, service, sendRequests));
  } finally {
    openId.close();
  }
}

async function sendAll({ name, url, openId, row }) {
  const headers = { "x-auth-token": await login(url, passwordBody({ system: { all: true } })) };
  await put(url, "/v3/OS-FEDERATION/mappings/bench", headers, { mapping: { rules: RULES } });
  const setUp = async (id, remoteId, settings) => {
    const remoteIds = remoteId === undefined ? [] : [remoteId];
    const provider = { enabled: true, domain_id: "default", remote_ids: remoteIds };
    await put(url, `${PROVIDERS}/${id}`, headers, { identity_provider: provider });
    const protocol = { mapping_id: "bench", settings };
    await put(url, `${PROVIDERS}/${id}/protocols/login`, headers, { protocol });
    return `${url}${PROVIDERS}/${id}/protocols/login/auth`;
  };

  const forwardedUrl = await setUp("forwarded", "front-end", { type: "forwarded" });
  await measureLogins({
    work: `${name}: login forwarded by a front end`,
    figures: { limit: 500, peer: 85 },
    url: forwardedUrl,
    requests: usersOf("forwarded").map(forwarded),
    row,
  });

  const { issuer } = openId;
  const settings = {
    type: "openid",
    issuer,
    client_id: "identity",
    audiences: ["identity-api"],
    attribute_prefix: "",
  };
  await measureLogins({
    work: `${name}: login by access token of OpenID Connect`,
    figures: { limit: 400 },
    url: await setUp("openid", issuer, settings),
    requests: await Promise.all(usersOf("openid").map(async (user) => withToken(await openId.token(user)))),
    row,
  });

  const workloads = {
    type: "openid",
    issuer,
    token_kinds: ["workload"],
    audiences: ["identity-api"],
    conditions: [{ claim: "sub", values: ["job:*"] }],
    attribute_prefix: "",
  };
  for (const isStored of [true, false]) {
    const id = isStored ? "workloads" : "unstored";
    const tokens = usersOf(id).map(async (user) => withToken(await openId.workloadToken(user)));
    await measureLogins({
      work: `${name}: login by the token of a workload${isStored ? "" : ", without rows"}`,
      figures: { limit: 1500 },
      url: await setUp(id, undefined, { ...workloads, persist_user: isStored }),
      requests: await Promise.all(tokens),
      row,
    });
  }

  const one = await best(`${url}${PROVIDERS}/forwarded`, { headers });
  row({ work: `${name}: GET one identity provider`, hamkit: one.requests.average, limit: 6000, peer: 302 });

  const saml = { type: "saml2", idp_metadata_xml: samlMetadata(), sp_entity_id: "bench" };
  const samlUrl = await setUp("saml", "https://idp.example.org/", saml);
  await measureSaml({ name, url, samlUrl, headers, row });
}

/** Each user once, who is made by that; then all of them again. */
async function measureLogins({ work, figures, url, requests, row }) {
  const first = await send({ url, status: 201, requests, seconds: 600 });
  row({ work: `${work}, the first`, hamkit: first.perSecond });
  const again = Array.from({ length: 20 }, () => requests).flat();
  const { perSecond, p99 } = await send({ url, status: 201, requests: again });
  row({ work, hamkit: perSecond, ...figures });
  row({ work: "  99 of 100 within", hamkit: p99, unit: "ms" });
}

/** Responses that answer a browser's login each: alone, and while others have tokens validated. */
async function measureSaml({ name, url, samlUrl, headers, row }) {
  const prepare = async () => {
    const requests = [];
    for (const user of usersOf("saml")) requests.push(await begun(samlUrl, user));
    return { url: samlUrl, status: 201, requests, connections: 4 };
  };
  const first = await send({ ...(await prepare()), seconds: 600 });
  row({ work: `${name}: login by form of SAML, the first`, hamkit: first.perSecond });
  const alone = await send(await prepare());
  row({ work: `${name}: login by form of SAML`, hamkit: alone.perSecond, limit: 100 });
  row({ work: "  99 of 100 within", hamkit: alone.p99, unit: "ms" });

  const logins = send({ ...(await prepare()), perSecond: LOGINS_PER_SECOND });
  const beside = await load(`${url}/v3/auth/tokens`, {
    headers: { ...headers, "x-subject-token": headers["x-auth-token"] },
    perSecond: OTHERS_PER_SECOND,
  });
  const { perSecond } = await logins;
  row({ work: `  beside ${OTHERS_PER_SECOND}/s tokens validated`, hamkit: perSecond, limit: 100 });
  row({ work: "  of these 99 of 100 within", hamkit: beside.latency.p99, unit: "ms", limit: 30 });
}

function forwarded(user) {
  const assertion = { provider: "front-end", name: user, groups: "staff;others" };
  return {
    method: "GET",
    headers: {
      "x-assertion": Buffer.from(JSON.stringify(assertion)).toString("base64"),
      "x-forwarded-assertion-secret": SECRET,
    },
  };
}

function withToken(token) {
  return { method: "POST", headers: { authorization: `Bearer ${token}` } };
}

/** A login that has begun in a browser, and what the browser brings back from the provider. */
async function begun(url, user) {
  const answer = await fetch(url, { redirect: "manual" });
  const cookie = answer.headers.get("set-cookie").split(";")[0];
  const form = samlResponse({ request: new URL(answer.headers.get("location")), url, user });
  return {
    method: "POST",
    headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ SAMLResponse: Buffer.from(form).toString("base64") }).toString(),
  };
}

/** Has another process send requests, each once. */
async function send({ connections = CONNECTIONS, seconds = SECONDS, ...work }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-sender-"));
  try {
    const file = join(folder, "requests.json");
    writeFileSync(file, JSON.stringify(work));
    const args = [SENDER, file, connections, seconds].map(String);
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (data) => (text += data));
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`requests to ${work.url} failed`);
    return JSON.parse(text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
