/** A service that records logins, with a mapping, groups with roles and limits, and Chromium for it. */
import type { BrowserContextOptions } from "playwright-core";
import { vi } from "vitest";

import {
  signIn,
  startConsole,
  toSystem,
  type ConsoleBrowser,
  type ConsolePage,
  type ConsoleUser,
} from "./console-browser.js";

const SECRET = "a-secret-of-front-ends";
const FEDERATION = "/v3/OS-FEDERATION";

export interface RecordedCloud extends ConsoleBrowser {
  readonly domainId: string;
  /** Sends a request as the administrator of the system. @returns The body. */
  ask<Body>(method: string, path: string, body?: object): Promise<Body>;
  /** A page, signed in with the system as scope; as the administrator if no other user is named. */
  signedIn(options?: BrowserContextOptions, user?: ConsoleUser): Promise<ConsolePage>;
}

/** @param env Settings of the service in addition. */
export async function startRecordedCloud(env: Readonly<Record<string, string>> = {}): Promise<RecordedCloud> {
  const console = await startConsole({
    IDENTITY_LOGIN_RECORDING: "on",
    IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Assertion",
    IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
    IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
    IDENTITY_REMOTE_ID_ATTRIBUTE: "IDP",
    ...env,
  });
  const { url } = console.service;
  const ask = console.api as RecordedCloud["ask"];
  const create = async (path: string, attributes: object): Promise<string> => {
    const name = path.replace(/s$/, "");
    const made = await ask<Record<string, { id: string }>>("POST", `/v3/${path}`, { [name]: attributes });
    return made[name]?.id ?? "";
  };
  const domainId = await create("domains", { name: "acme" });
  const web = await create("projects", { name: "web", domain_id: domainId });
  await create("projects", { name: "web-eu", domain_id: domainId, parent_id: web });
  const lab = await create("projects", { name: "lab", domain_id: domainId });
  const staff = await create("groups", { name: "staff", domain_id: domainId });
  const root = await create("groups", { name: "root", domain_id: domainId });
  const { roles } = await ask<{ roles: { id: string; name: string }[] }>("GET", "/v3/roles");
  const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? "";
  await ask("PUT", `/v3/projects/${web}/groups/${staff}/roles/${roleId("member")}`);
  await ask("PUT", `/v3/projects/${web}/groups/${root}/roles/${roleId("admin")}`);

  const provider = { enabled: true, domain_id: domainId, remote_ids: ["https://idp.example.org"] };
  await ask("PUT", `${FEDERATION}/identity_providers/campus`, { identity_provider: provider });
  const rules = [
    {
      remote: [{ type: "SUB" }, { type: "REMOTE_USER" }, { type: "GROUPS", whitelist: ["staff"] }],
      local: [{ user: { id: "{0}", name: "{1}" } }, { groups: "{2}", domain: { name: "acme" } }],
    },
  ];
  await ask("PUT", `${FEDERATION}/mappings/people`, { mapping: { rules } });
  const protocol = `${FEDERATION}/identity_providers/campus/protocols/mapped`;
  await ask("PUT", protocol, { protocol: { mapping_id: "people" } });
  await ask("PUT", `${protocol}/recording`, { recording: { attributes: ["SUB", "REMOTE_USER", "GROUPS"] } });
  for (const [name, groups] of [
    ["ada", "staff"],
    ["kim", "staff;ops"],
    ["lou", "ops"],
    ["max", ""],
  ] as const)
    await logIn(url + protocol, {
      SUB: `id-of-${name}`,
      REMOTE_USER: name,
      GROUPS: groups,
      IDP: "https://idp.example.org",
    });
  await vi.waitFor(
    async () => {
      const path = `${protocol}/recording/logins`;
      const { recorded_logins: logins } = await ask<{ recorded_logins: object[] }>("GET", path);
      if (logins.length < 4) throw new Error(`${logins.length} of 4 logins are recorded`);
    },
    { timeout: 10_000 },
  );

  const compute = await create("services", { type: "compute", name: "nova" });
  const cores = { service_id: compute, resource_name: "cores" };
  await ask("POST", "/v3/registered_limits", { registered_limits: [{ ...cores, default_limit: 20 }] });
  const limits = [
    { ...cores, domain_id: domainId, resource_limit: 100 },
    { ...cores, project_id: web, resource_limit: 60 },
    { ...cores, project_id: lab, resource_limit: 70 },
  ];
  await ask("POST", "/v3/limits", { limits });
  return {
    ...console,
    domainId,
    ask,
    async signedIn(options, user) {
      const opened = await console.open(options);
      await signIn(opened, url, user);
      await toSystem(opened.page);
      return opened;
    },
  };
}

async function logIn(protocol: string, attributes: object): Promise<void> {
  const response = await fetch(`${protocol}/auth`, {
    headers: {
      "X-Assertion": Buffer.from(JSON.stringify(attributes)).toString("base64"),
      "X-Forwarded-Assertion-Secret": SECRET,
    },
  });
  if (response.status !== 201) throw new Error(`login: ${response.status} ${await response.text()}`);
}
