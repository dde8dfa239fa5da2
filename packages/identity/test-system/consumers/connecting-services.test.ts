/** Follows the guide "Connecting services" with Debian's Glance, Placement, Barbican and Swift. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { administratorOf, openOpenstackShell, type OpenstackShell } from "../clients/openstack-shell.js";
import { fileOf, followSection, readGuide, type Block } from "../federation/keystone/guide.js";
import { freePort } from "../free-port.js";
import { askScript } from "../run-program.js";
import { ADMIN_PASSWORD, IN_THE_PAST, startService, type ServiceProcess } from "../service-process.js";
import { startGuided, type GuidedService } from "./guided-services.js";

const SETUP_MS = 240_000;
const GUIDE = "connecting-services.md";
/** The content of the guide's first.img. */
const IMAGE = Buffer.alloc(2 ** 20, 7);

/** Their hosts in the guide. */
const HOSTS = {
  glance: "https://image.example.org",
  placement: "https://placement.example.org",
  swift: "https://object.example.org",
  barbican: "https://key.example.org",
};
type Service = keyof typeof HOSTS;

let folder: string;
let database: TestDatabase;
let identity: ServiceProcess;
/** The same service with an earlier clock. */
let past: ServiceProcess;
let guide: readonly Block[];
/** Of each service. */
let types: Readonly<Record<string, string>>;
let shell: OpenstackShell;
const running: GuidedService[] = [];
const urls: Record<string, string> = {};
/** Tokens for the project `admin` of the administrator, and for `atelier` of a member. */
let admin: string;
let member: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-connecting-"));
  database = await sqliteDatabases.create();
  const serve = (env = {}) => startService({ databaseUrl: database.url, folder, env });
  identity = await serve();
  past = await serve(IN_THE_PAST);
  for (const name of Object.keys(HOSTS)) urls[name] = `http://127.0.0.1:${await freePort()}`;
  const hosts = Object.entries(HOSTS).map(([name, host]) => [host, at(name)]);
  guide = readGuide(GUIDE, { "https://id.example.org": identity.url, ...Object.fromEntries(hosts) });
  admin = await tokenOf({ name: "admin", password: ADMIN_PASSWORD }, "admin");
  await writeFile(join(folder, "first.img"), IMAGE);
  shell = openOpenstackShell(identity.url, folder);
  await follow("Regions");
  await follow("A user for each service");
  await createServiceUsers();
  await follow("Limits");
  await follow("Glance");
  // All of them end before a failure is reported, so that each is closed.
  const starts = await Promise.allSettled((Object.keys(HOSTS) as Service[]).map((name) => startOne(name)));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
  await createMember();
  // A login of its own, whose catalog has the services.
  await shell.close();
  shell = openOpenstackShell(identity.url, folder);
}, SETUP_MS);
afterAll(async () => {
  await shell.close();
  for (const service of running) await service.close();
  await past.stop();
  await identity.stop();
  await database.remove();
  await rm(folder, { recursive: true, force: true });
});

describe("Glance", () => {
  it("creates images up to the registered limit", async () => {
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push(await createImage(member));
    expect(statuses).toEqual([201, 201, 201, 413]);
  });

  it("creates images up to the limit of a project, and takes -1 for a limit that is exceeded", async () => {
    await follow("Glance", "glance");
    const { body } = await ask("GET", "/v3/limits", { token: admin });
    const setLimit = (resource_limit: number) =>
      ask("PATCH", `/v3/limits/${body.limits[0].id}`, { token: admin, body: { limit: { resource_limit } } });
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push(await createImage(admin));
    expect(statuses).toEqual([201, 201, 201, 201, 413]);
    expect((await setLimit(-1)).status).toBe(200);
    expect(await createImage(admin)).toBe(413);
    await setLimit(1_000_000_000);
    expect(await createImage(admin)).toBe(201);
  });

  it("has stored the image of the guide", async () => {
    const { body } = await ask("GET", `${at("glance")}/v2/images?name=first`, { token: admin });
    const file = `${at("glance")}/v2/images/${body.images[0].id}/file`;
    const returned = await fetch(file, { headers: { "x-auth-token": admin } });
    expect(Buffer.from(await returned.arrayBuffer()).equals(IMAGE)).toBe(true);
  });

  it("answers 500 to new images if its user may not read limits", async () => {
    const assignment = [
      "role remove --system all --user glance reader",
      "role add --system all --user glance reader",
    ];
    expect(await shell.type(assignment[0] ?? "")).toBe("");
    expect(await createImage(admin)).toBe(500);
    expect(await shell.type(assignment[1] ?? "")).toBe("");
    expect(await createImage(admin)).toBe(201);
  });

  it("accepts tokens of an application credential for what its access rules allow", async () => {
    const limited = await limitedToken([{ service: "image", method: "GET", path: "/v2/images" }]);
    expect((await ask("GET", `${at("glance")}/v2/images`, { token: limited })).status).toBe(200);
    expect(await createImage(limited)).toBe(401);
  });

  it("accepts an expired token of a user with a token of a service", async () => {
    const configuration = join(folder, "service_user.conf");
    await writeFile(configuration, fileOf(guide, "service_user"));
    const expired = await tokenOf({ name: "admin", password: ADMIN_PASSWORD }, "admin", past.url);
    const question = { configuration, url: `${at("glance")}/v2/images`, token: expired };
    expect(await askScript("consumers/service-token.py", question)).toEqual([
      { alone: 401, "with its own": 200 },
    ]);
  });
});

describe("Placement", () => {
  it("lists resource providers for the administrator", async () => {
    expect(JSON.parse(await follow("Placement", "placement"))).toEqual({ resource_providers: [] });
  });

  it("lets the user of the section [placement] create resource providers, and a member not", async () => {
    const nova = await tokenOf({ name: "placement", password: "placement_PASSWORD" }, "service");
    const create = (token: string) =>
      ask("POST", `${at("placement")}/resource_providers`, { token, body: { name: "host" } });
    expect((await create(nova)).status).toBe(201);
    expect((await create(member)).status).toBe(403);
    expect((await create("none")).status).toBe(401);
  });
});

describe("a service with the region of Debian's packages", () => {
  it("validates no token where the catalog has another one", { timeout: SETUP_MS }, async () => {
    urls["elsewhere"] = `http://127.0.0.1:${await freePort()}`;
    const elsewhere = configurationOf("placement", "").replace("[api]", "region_name = regionOne\n[api]");
    await startOne("placement", { at: "elsewhere", configuration: elsewhere });
    const { status } = await ask("GET", `${at("elsewhere")}/resource_providers`, { token: admin });
    expect(status).toBe(500);
  });
});

describe("Barbican", () => {
  it("stores secrets for members, and not for readers", async () => {
    expect(await follow("Barbican", "barbican")).toContain(`${at("barbican")}/v1/secrets/`);
    const store = async (token: string) =>
      (await ask("POST", `${at("barbican")}/v1/secrets`, { token, body: { name: "second" } })).status;
    expect(await store(member)).toBe(201);
    expect(await store(await memberToken("reader"))).toBe(403);
  });
});

describe("Swift", () => {
  it("has containers for members, and lists them for S3 clients", async () => {
    const key = await follow("Swift", "swift");
    const question = { url: at("swift"), access: cell(key, "access"), secret: cell(key, "secret") };
    expect(await askScript("consumers/s3-buckets.py", question)).toEqual([
      { status: 200, buckets: ["photos"] },
    ]);
    const wrong = { ...question, secret: "0".repeat(32) };
    expect(await askScript("consumers/s3-buckets.py", wrong)).toEqual([{ status: 403, buckets: [] }]);
  });

  it("refuses readers, and requests without a token", async () => {
    const { body } = await ask("GET", "/v3/projects?name=atelier", { token: admin });
    const put = (token: string) =>
      ask("PUT", `${at("swift")}/v1/AUTH_${body.projects[0].id}/music`, { token });
    expect((await put(member)).status).toBe(201);
    expect((await put(await memberToken("reader"))).status).toBe(403);
    expect((await put("")).status).toBe(401);
  });
});

const at = (service: string) => urls[service] ?? "";

/** Blocks of a section for one place. @returns What the last command has printed. */
function follow(title: string, place = "cloud"): Promise<string> {
  const env = administratorOf(identity.url);
  return followSection(guide, title, { folder, clouds: { [place]: { shell, env } } });
}

/** The commands for a service, with the values of each row of the guide's table. */
async function createServiceUsers(): Promise<void> {
  const text = readFileSync(new URL(`../../../../docs/identity/${GUIDE}`, import.meta.url), "utf8");
  const rows = Array.from(
    text.matchAll(/^\| (\w+) +\| ([\w-]+) +\| `(\S+)` +\|$/gm),
    ([, ...cells]) => cells,
  );
  types = Object.fromEntries(rows.map(([service = "", type = ""]) => [service, type]));
  expect(Object.keys(types).toSorted()).toEqual(Object.keys(HOSTS).toSorted());
  for (const [service = "", type = "", address = ""] of rows) {
    const host = HOSTS[service as Service];
    const values = { ADDRESS: address.replace(host, at(service)), ...placeholders(service, type) };
    const blocks = guide.map((block) => ({ ...block, text: replaceAll(block.text, values) }));
    const clouds = { service: { shell, env: administratorOf(identity.url) } };
    await followSection(blocks, "A user for each service", { folder, clouds });
  }
}

const placeholders = (service: string, type: string) => ({
  SERVICE_PASSWORD: `${service}_PASSWORD`,
  SERVICE: service,
  TYPE: type,
});

function replaceAll(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((changed, [name, value]) => changed.replaceAll(name, value), text);
}

const FILES: Readonly<Record<Service, readonly string[]>> = {
  glance: ["keystone_authtoken", "oslo_limit", "glance-api.conf"],
  placement: ["keystone_authtoken", "placement.conf"],
  barbican: ["keystone_authtoken", "barbican.conf"],
  swift: ["proxy-server.conf"],
};

/** The guide's lines for a service. @param endpointId Of Glance. */
function configurationOf(name: Service, endpointId: string): string {
  const text = FILES[name].map((file) => fileOf(guide, file)).join("\n");
  return replaceAll(text, { ENDPOINT_ID: endpointId, ...placeholders(name, types[name] ?? "") });
}

async function startOne(
  name: Service,
  other?: { readonly at: string; readonly configuration: string },
): Promise<void> {
  const { body } = await ask("GET", "/v3/endpoints?interface=public", { token: admin });
  const { id } = body.endpoints.find(({ url }: { url: string }) => url === at("glance"));
  const configuration = other?.configuration ?? configurationOf(name, id);
  const port = Number(new URL(at(other?.at ?? name)).port);
  running.push(await startGuided({ name, port, folder: join(folder, other?.at ?? "own"), configuration }));
}

/** The users `member` and `reader` with these roles on a project `atelier`. */
async function createMember(): Promise<void> {
  for (const command of [
    "project create atelier",
    "user create --password pw-member member",
    "user create --password pw-reader reader",
    "role add --project atelier --user member member",
    "role add --project atelier --user reader reader",
  ])
    expect(await shell.type(command)).toMatch(/^$|^\+-/);
  member = await memberToken("member");
}

const memberToken = (name: string) => tokenOf({ name, password: `pw-${name}` }, "atelier");

async function tokenOf(user: object, project: string, url = identity.url): Promise<string> {
  const domain = { id: "default" };
  const identity_ = { methods: ["password"], password: { user: { ...user, domain } } };
  const body = { auth: { identity: identity_, scope: { project: { name: project, domain } } } };
  const { status, headers } = await ask("POST", `${url}/v3/auth/tokens`, { body });
  expect(status).toBe(201);
  return headers.get("x-subject-token") ?? "";
}

/** Of an application credential of the administrator. */
async function limitedToken(access_rules: readonly object[]): Promise<string> {
  const own = await ask("GET", "/v3/auth/tokens", { token: admin, headers: { "x-subject-token": admin } });
  const path = `/v3/users/${own.body.token.user.id}/application_credentials`;
  const body = { application_credential: { name: "limited", access_rules } };
  const { id, secret } = (await ask("POST", path, { token: admin, body })).body.application_credential;
  const login = { methods: ["application_credential"], application_credential: { id, secret } };
  const made = await ask("POST", "/v3/auth/tokens", { body: { auth: { identity: login } } });
  return made.headers.get("x-subject-token") ?? "";
}

async function createImage(token: string): Promise<number> {
  const body = { disk_format: "raw", container_format: "bare" };
  return (await ask("POST", `${at("glance")}/v2/images`, { token, body })).status;
}

interface Request {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** @param url Or a path at the identity service. */
async function ask(
  method: string,
  url: string,
  { token = "", headers = {}, body }: Request,
): Promise<Answer> {
  const answer = await fetch(new URL(url, identity.url), {
    method,
    headers: {
      ...headers,
      ...(token !== "" && { "x-auth-token": token }),
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: answer.status,
    headers: answer.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

/** A value of a table that `openstack` has printed. */
function cell(table: string, name: string): string {
  return new RegExp(`^\\| ${name} +\\| (\\S+) +\\|$`, "m").exec(table)?.[1] ?? "";
}
