/** Federation with real clouds as the guides set them up: Debian's Keystone behind mod_auth_mellon, and other instances of the service. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runProgram } from "../../run-program.js";
import { ADMIN_PASSWORD } from "../../service-process.js";
import { startClouds, type CloudName, type Clouds } from "./clouds.js";
import { fileOf, linesFor, runLines, type Block } from "./guide.js";
import { KEYSTONE_MS } from "./keystone-server.js";

let clouds: Clouds;
beforeAll(async () => {
  clouds = await startClouds();
}, 2 * KEYSTONE_MS);
afterAll(() => clouds.close(), KEYSTONE_MS);

interface ShownToken {
  readonly user: { readonly id: string; readonly domain: { readonly id: string } };
}

/** The token that `openstack token issue` printed, as its cloud validates it. */
async function tokenOf(table: string, cloud: CloudName): Promise<ShownToken> {
  const token = /\| id +\| (\S+)/.exec(table)?.[1] ?? "";
  const answer = await fetch(`${clouds.urlOf(cloud)}/v3/auth/tokens`, {
    headers: { "x-auth-token": token, "x-subject-token": token },
  });
  return ((await answer.json()) as { token: ShownToken }).token;
}

/** Who comes by way of a provider. */
const guestOf = (provider: string) => ({
  user: {
    name: "admin",
    "OS-FEDERATION": { identity_provider: { id: provider }, protocol: { id: "saml2" } },
  },
  project: { name: "atelier" },
  roles: expect.arrayContaining([expect.objectContaining({ name: "member" })]) as unknown,
});

/** The guide's program, at one cloud, for another one. */
async function byProgram(at: CloudName, serviceProvider: string) {
  const script = join(clouds.folder, "login.py");
  await writeFile(script, fileOf(clouds.guide, "login.py"));
  const args = [`${clouds.urlOf(at)}/v3`, ADMIN_PASSWORD, serviceProvider];
  const { output, errors } = await runProgram(["/usr/bin/python3", script, ...args], {
    env: { NO_PROXY: "127.0.0.1" },
  });
  return { output, error: errors.trim().split("\n").at(-1) };
}

const LET_IN = { output: "admin atelier member reader\n", error: "" };

/** Asks a cloud as its administrator. @throws It refuses. */
async function ask<Answer>(cloud: CloudName, method: string, path: string, body?: object): Promise<Answer> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const identity = { methods: ["password"], password: { user } };
  const json = { "content-type": "application/json" };
  const login = await fetch(`${clouds.urlOf(cloud)}/v3/auth/tokens`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ auth: { identity, scope: { system: { all: true } } } }),
  });
  const answer = await fetch(`${clouds.urlOf(cloud)}/v3/${path}`, {
    method,
    headers: { ...json, "x-auth-token": login.headers.get("x-subject-token") ?? "" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Of the key that the metadata of a service is signed by, and assertions too. */
async function certificateOf(cloud: CloudName): Promise<string | undefined> {
  const metadata = await fetch(`${clouds.urlOf(cloud)}/v3/OS-FEDERATION/saml2/metadata`);
  return /<ds:X509Certificate>([^<]+)/.exec(await metadata.text())?.[1];
}

const jsonOf = (guide: readonly Block[], file: string) => JSON.parse(fileOf(guide, file)) as object;

const KEYSTONE_AS_TARGET = "OS-FEDERATION/service_providers/keystone";

/** As a Keystone knows who comes to it, in the first test. */
let knownToKeystone: ShownToken["user"];

describe("docs/identity/providers/keystone.md", () => {
  it("logs in users of the service at a Keystone", { timeout: KEYSTONE_MS }, async () => {
    const table = await clouds.follow(clouds.guide, "From this service to a Keystone");
    const token = await tokenOf(table, "keystone");
    expect(token).toMatchObject(guestOf("id"));
    knownToKeystone = token.user;
    expect(await byProgram("id", "keystone")).toEqual(LET_IN);
  });

  it("shows why mod_auth_mellon needs another relay state", { timeout: KEYSTONE_MS }, async () => {
    const provider = (prefix: string) => ({ service_provider: { relay_state_prefix: prefix } });
    await ask("id", "PATCH", KEYSTONE_AS_TARGET, provider("ss:mem:"));
    expect((await byProgram("id", "keystone")).error).toContain("BadRequest");
    expect(await clouds.keystone.log()).toContain("Preventing redirect with scheme but no hostname: ss:mem:");
    await ask("id", "PATCH", KEYSTONE_AS_TARGET, provider("/"));
  });

  it("logs in users of a Keystone at the service, with SHA-1 only", { timeout: KEYSTONE_MS }, async () => {
    const table = await clouds.follow(clouds.guide, "From a Keystone to this service");
    expect(await tokenOf(table, "id")).toMatchObject(guestOf("keystone"));
    expect(await byProgram("keystone", "id")).toEqual(LET_IN);

    const protocol = jsonOf(clouds.guide, "protocol.json") as {
      readonly protocol: { readonly settings: object };
    };
    const path = "OS-FEDERATION/identity_providers/keystone/protocols/saml2";
    const settings = { ...protocol.protocol.settings, allow_sha1: false };
    await ask("id", "PATCH", path, { protocol: { ...protocol.protocol, settings } });
    expect((await byProgram("keystone", "id")).error).toContain("Unauthorized");
    await expect.poll(() => clouds.id.output()).toContain("the signature's SignatureMethod is not accepted");
    await ask("id", "PATCH", path, protocol);
  });

  it("logs in users of the service at another instance", { timeout: KEYSTONE_MS }, async () => {
    const table = await clouds.follow(clouds.guide, "From one of these services to another");
    expect(await tokenOf(table, "second")).toMatchObject(guestOf("id"));
    expect(await byProgram("id", "second")).toEqual(LET_IN);
  });

  it("goes on with a rotated key, which the others knew before", { timeout: KEYSTONE_MS }, async () => {
    const before = await certificateOf("id");
    await clouds.id.operate("keys", "rotate-saml");
    await expect.poll(() => certificateOf("id")).not.toBe(before);
    expect(await byProgram("id", "keystone")).toEqual(LET_IN);
    expect(await byProgram("id", "second")).toEqual(LET_IN);
  });
});

describe("docs/identity/moving-from-keystone.md", () => {
  const PROTOCOL = "OS-FEDERATION/identity_providers/id/protocols/saml2";
  const COPIED = [
    ["mappings/id", "mapping"],
    ["identity_providers/id", "identity_provider"],
    ["identity_providers/id/protocols/saml2", "protocol"],
    ["service_providers/id", "service_provider"],
  ] as const;
  /** Without its links, which contain the address of its cloud. */
  const shown = async (cloud: CloudName, path: string, key: string) => {
    const answer = await ask<Record<string, object>>(cloud, "GET", `OS-FEDERATION/${path}`);
    if (answer[key] === undefined) throw new Error(`${path} has no ${key}`);
    return Object.fromEntries(Object.entries(answer[key]).filter(([name]) => name !== "links"));
  };
  const userFactsOf = (token: ShownToken) => ({ id: token.user.id, domain: token.user.domain.id });

  it("copies the configuration, by names, and again", { timeout: KEYSTONE_MS }, async () => {
    const { groups } = await ask<{ groups: { id: string }[] }>("keystone", "GET", "groups?name=guests");
    const remote = [{ type: "MELLON_uid" }];
    const rulesFor = (group: object) => [{ remote, local: [{ user: { name: "{0}" } }, { group }] }];
    await ask("keystone", "PUT", "OS-FEDERATION/mappings/by-id", {
      mapping: { rules: rulesFor({ id: groups[0]?.id }) },
    });
    await writeFile(join(clouds.folder, "clouds.yaml"), JSON.stringify(cloudsYaml()));
    expect(await clouds.follow(clouds.moving, "Copying the configuration")).toBe("");

    for (const [path, key] of COPIED) {
      expect(await shown("moved", path, key)).toMatchObject(await shown("keystone", path, key));
    }
    expect(await shown("moved", "mappings/by-id", "mapping")).toMatchObject({
      rules: rulesFor({ name: "guests", domain: { id: "default" } }),
    });
    const again = await runLines(linesFor(clouds.moving, "admin"), { env: {}, folder: clouds.folder });
    expect(
      again
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("is there /")),
    ).toEqual([]);
  });

  it("takes the assertion from Apache, not from the client", { timeout: KEYSTONE_MS }, async () => {
    const title = "First step: Apache keeps authenticating users";
    const token = await tokenOf(await clouds.follow(clouds.moving, title), "moved");
    expect(token).toMatchObject(guestOf("id"));
    expect(userFactsOf(token)).toEqual(userFactsOf({ user: knownToKeystone }));
    const forged = await fetch(`${clouds.urlOf("front")}/v3/${PROTOCOL}/auth`, {
      headers: {
        "Mellon-Openstack-User": "admin",
        "Mellon-Idp": `${clouds.urlOf("id")}/v3/OS-FEDERATION/saml2/idp`,
      },
      redirect: "manual",
    });
    expect({ status: forged.status, token: forged.headers.get("x-subject-token") }).toEqual({
      status: 303,
      token: null,
    });
  });

  it("has the service find out by itself, for the same users", { timeout: KEYSTONE_MS }, async () => {
    const title = "Second step: the service authenticates users itself";
    const token = await tokenOf(await clouds.follow(clouds.moving, title), "moved");
    expect(token).toMatchObject(guestOf("id"));
    expect(userFactsOf(token)).toEqual(userFactsOf({ user: knownToKeystone }));
  });

  it("has ways back", { timeout: KEYSTONE_MS }, async () => {
    const goTo = (cloud: CloudName) => {
      const at = clouds.urlOf(cloud);
      const addresses = { sp_url: `${at}/v3/mellon/paosResponse`, auth_url: `${at}/v3/${PROTOCOL}/auth` };
      return ask("id", "PATCH", KEYSTONE_AS_TARGET, { service_provider: addresses });
    };
    await goTo("front");
    expect((await byProgram("id", "keystone")).error).toContain("Unauthorized");
    await ask("moved", "PATCH", PROTOCOL, jsonOf(clouds.moving, "forwarded.json"));
    expect(await byProgram("id", "keystone")).toEqual(LET_IN);
    await goTo("keystone");
    expect(await byProgram("id", "keystone")).toEqual(LET_IN);
  });
});

/** The clouds of an operator, which differ only in their addresses. */
function cloudsYaml(): object {
  const auth = { username: "admin", password: ADMIN_PASSWORD, user_domain_id: "default" };
  const cloud = (name: CloudName) => ({
    auth: { ...auth, auth_url: clouds.urlOf(name), project_name: "admin", project_domain_id: "default" },
    region_name: "RegionOne",
    identity_api_version: "3",
  });
  return { clouds: { keystone: cloud("keystone"), second: cloud("moved") } };
}
