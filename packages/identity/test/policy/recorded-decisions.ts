/** Plays what a Keystone with policy files decided, against this service with the same files. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { App } from "../../src/app.js";
import type { TestDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp } from "../test-app.js";

const SHARED = new URL("../../../../../shared/identity/policy/", import.meta.url);
/** Where it is at hand. */
export const POLICY_RECORDINGS = new URL("recorded.jsonl", SHARED);

export interface RecordedDecision {
  readonly override: string;
  readonly persona: string;
  readonly method: string;
  /** With names in braces. */
  readonly path: string;
  readonly status: number;
  readonly body?: object;
  /** Whose token is in X-Subject-Token. */
  readonly subject?: string;
  readonly peer: "keystone 22" | "head";
}

export function readRecordings(): RecordedDecision[] {
  return readFileSync(POLICY_RECORDINGS, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedDecision);
}

const PASSWORD = "Secret-pw-1";

/** Domain, project or kind of scope, and roles of each user, as the recorder has made them. */
const PERSONAS: Readonly<Record<string, readonly [string, string | undefined, readonly string[]]>> = {
  system_admin: ["default", "system", ["admin"]],
  system_reader: ["default", "system", ["reader"]],
  domain_admin: ["d1", "domain", ["admin"]],
  domain_manager: ["d1", "domain", ["manager"]],
  domain_reader: ["d1", "domain", ["reader"]],
  project_admin: ["default", "pdef", ["admin"]],
  project_manager: ["d1", "p1", ["manager"]],
  project_member: ["d1", "p1", ["member"]],
  project_reader: ["d1", "p1", ["reader"]],
  auditor: ["d1", "p1", ["auditor"]],
  cloud_admin: ["default", "pdef", ["cloud_admin"]],
  service: ["default", "pdef", ["service"]],
  unscoped: ["d1", undefined, []],
};

interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: string | undefined;
}

type Body = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface SendOptions {
  readonly token?: string;
  readonly body?: object;
  readonly subject?: string;
}

/** Differences on purpose, by their names in differences.md. */
const DIFFERENCES: readonly ((decision: RecordedDecision) => boolean)[] = [
  // application-credentials-have-a-project
  ({ method, path }) => method === "POST" && path.endsWith("/application_credentials"),
  // owners-list-their-ec2-keys
  ({ peer, path }) => peer !== "head" && path.endsWith("/credentials/OS-EC2"),
];

interface RecordedSettings {
  readonly SCOPE?: string;
  readonly NEW?: string;
  readonly POLICY_FILE?: string;
}

export interface RecordedPolicy {
  readonly override: string;
  readonly peer: RecordedDecision["peer"];
}

/** With the rules of the peer's release where no file replaces them. @returns Decisions that differ, but not on purpose. */
export async function playOverride(
  databases: TestDatabases,
  { override, peer }: RecordedPolicy,
  recorded: readonly RecordedDecision[],
): Promise<object[]> {
  const folder = fileURLToPath(new URL(`overrides/${override}/`, SHARED));
  const hasSettings = existsSync(`${folder}conf.json`);
  const settings = (
    hasSettings ? JSON.parse(readFileSync(`${folder}conf.json`, "utf8")) : {}
  ) as RecordedSettings;
  const onOrOff = (value: string | undefined): string => (value === "false" ? "off" : "on");
  const own = await mkdtemp(join(tmpdir(), "policy-"));
  const file = join(own, "policy.yaml");
  const text = readFileSync(`${folder}policy.${settings.POLICY_FILE === "json" ? "json" : "yaml"}`, "utf8");
  // Empty lists, for everybody and for nobody, are refused here.
  await writeFile(file, text.replaceAll(": [],", ': "@",').replaceAll(": [[]],", ': "!",'));
  try {
    const service = await testApp(databases, {
      IDENTITY_POLICY_FILE: file,
      IDENTITY_POLICY_DIRS: `${folder}policy.d`,
      IDENTITY_POLICY_RELEASE: peer === "head" ? "2026" : "22",
      IDENTITY_POLICY_ENFORCE_SCOPE: onOrOff(settings.SCOPE),
      IDENTITY_POLICY_ENFORCE_NEW_DEFAULTS: onOrOff(settings.NEW),
    });
    const { play } = await createRecorder(service.app);
    const others: object[] = [];
    for (const decision of recorded) {
      const { status } = await play(decision);
      if (status !== decision.status && !DIFFERENCES.some((isDifferent) => isDifferent(decision)))
        others.push({ ...decision, got: status });
    }
    await service.remove();
    return others;
  } finally {
    await rm(own, { recursive: true });
  }
}

/** The cloud of the recorder in a service, and its requests. */
async function createRecorder(app: App) {
  async function send(
    method: string,
    url: string,
    { token, body, subject }: SendOptions = {},
  ): Promise<Sent> {
    const response = await app.server.inject({
      method: method as "GET",
      url,
      headers: {
        ...(token !== undefined && { "x-auth-token": token }),
        ...(subject !== undefined && { "x-subject-token": subject }),
      },
      ...(body !== undefined && { payload: body }),
    });
    const isJson = response.body.startsWith("{");
    return {
      status: response.statusCode,
      body: isJson ? (response.json() as Sent["body"]) : {},
      token: response.headers["x-subject-token"] as string | undefined,
    };
  }

  async function logIn(name: string, domain: string, password: string, scope: unknown): Promise<string> {
    const user = { name, domain: { id: domain }, password };
    const auth = { identity: { methods: ["password"], password: { user } }, scope };
    const { token, status } = await send("POST", "/v3/auth/tokens", { body: { auth } });
    if (token === undefined) throw new Error(`login of ${name}: ${status}`);
    return token;
  }

  const admin = await logIn("admin", "default", ADMIN_PASSWORD, { system: { all: true } });
  async function create(path: string, body: Body): Promise<string> {
    const [key = ""] = Object.keys(body);
    const answer = await send("POST", path, { token: admin, body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body[key] as { readonly id: string }).id;
  }

  const ids: Record<string, string> = { default: "default" };
  const { body: found } = await send("GET", "/v3/roles", { token: admin });
  for (const { name, id } of found["roles"] as { readonly name: string; readonly id: string }[])
    ids[`role_${name}`] = id;
  for (const name of ["manager", "service", "auditor", "cloud_admin"])
    ids[`role_${name}`] ??= await create("/v3/roles", { role: { name } });
  for (const [one, other] of [
    ["admin", "manager"],
    ["manager", "member"],
  ])
    await send("PUT", `/v3/roles/${ids[`role_${one}`]}/implies/${ids[`role_${other}`]}`, { token: admin });
  for (const name of ["d1", "d2"]) ids[name] = await create("/v3/domains", { domain: { name } });
  const of = (key: string): string => ids[key] ?? "";
  for (const [name, domain] of [
    ["p1", of("d1")],
    ["p2", of("d2")],
    ["pdef", "default"],
  ] as const)
    ids[name] = await create("/v3/projects", { project: { name, domain_id: domain } });
  for (const number of [1, 2]) {
    const domain_id = of(`d${number}`);
    ids[`u${number}`] = await create("/v3/users", {
      user: { name: `u${number}`, domain_id, password: PASSWORD },
    });
    ids[`g${number}`] = await create("/v3/groups", { group: { name: `g${number}`, domain_id } });
  }
  ids["region"] = await create("/v3/regions", { region: { id: "pol-region", description: "x" } });
  await create("/v3/services", { service: { name: "pol", type: "pol" } });
  for (const [name, [domain, scope, roles]] of Object.entries(PERSONAS)) {
    const id = await create("/v3/users", { user: { name, domain_id: of(domain), password: PASSWORD } });
    ids[`user_${name}`] = id;
    const place =
      { system: "/v3/system", domain: `/v3/domains/${of(domain)}` }[scope ?? ""] ??
      `/v3/projects/${of(scope ?? "")}`;
    for (const role of roles)
      await send("PUT", `${place}/users/${id}/roles/${of(`role_${role}`)}`, { token: admin });
  }
  const tokens = new Map<string, string>();

  async function tokenOf(persona: string): Promise<string> {
    const [domain = "", scope] = PERSONAS[persona] ?? [];
    const wanted =
      scope === undefined
        ? undefined
        : ({ system: { system: { all: true } }, domain: { domain: { id: of(domain) } } }[scope] ?? {
            project: { id: of(scope) },
          });
    return logIn(persona, of(domain), PASSWORD, wanted ?? "unscoped");
  }

  let count = 0;

  /** Sends a recorded request, prepared and undone as by the recorder. */
  async function play({ persona, method, path, body, subject }: RecordedDecision): Promise<Sent> {
    const number = String(++count);
    const token = tokens.get(persona) ?? (await tokenOf(persona));
    tokens.set(persona, token);
    const fill = (text: string): string =>
      text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
        if (name === "me") return of(`user_${persona}`);
        return name === "n" ? number : (ids[name] ?? whole);
      });
    const fillAll = (value: object): object => JSON.parse(fill(JSON.stringify(value))) as object;
    const isOfNew = path.includes("{new}");
    const collection = path.replace("/{new}", "");
    if (isOfNew) {
      const key = collection === "/v3/users" ? "user" : "project";
      const draft = {
        name: `del-${number}`,
        domain_id: of("d1"),
        ...(key === "user" && { password: PASSWORD }),
      };
      ids["new"] = await create(collection, { [key]: draft });
    }
    if (/^(?:HEAD|DELETE) .*\/roles\//.test(`${method} ${path}`))
      await send("PUT", fill(path), { token: admin });
    const subjects: Readonly<Record<string, () => Promise<string>>> = {
      "the caller's token": async () => token,
      "another token of the caller": () => tokenOf(persona),
      "a token of u1": () => logIn("u1", of("d1"), PASSWORD, "unscoped"),
    };
    const subjectToken = await subjects[subject ?? ""]?.();
    const sent = await send(method, fill(path), {
      token,
      ...(body !== undefined && { body: fillAll(body) }),
      ...(subjectToken !== undefined && { subject: subjectToken }),
    });
    if (method === "POST" && sent.status === 201) await remove(fill(path), sent, token);
    if (isOfNew && sent.status >= 300) await send("DELETE", `${collection}/${of("new")}`, { token: admin });
    return sent;
  }

  async function remove(collection: string, { body }: Sent, token: string): Promise<void> {
    const [[key, item] = ["", {}]] = Object.entries(body) as [string, { readonly id?: string }][];
    const url = `${collection}/${item.id}`;
    if (key === "domain") await send("PATCH", url, { token: admin, body: { domain: { enabled: false } } });
    for (const each of key === "application_credential" ? [token, admin] : [admin])
      await send("DELETE", url, { token: each });
  }

  return { play };
}
