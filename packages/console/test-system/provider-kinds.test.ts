/** The kinds of providers that the console starts from: a login of each, as the provider documents it, by the rules that it begins with. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import {
  logInByOpenId,
  logInBySaml,
  type LoginResult,
} from "../../identity/test-system/federation/guides/browser-login.js";
import { simulateOpenId } from "../../identity/test-system/federation/guides/simulated-openid.js";
import { simulateSaml } from "../../identity/test-system/federation/guides/simulated-saml.js";
import { runService, type ReachableService } from "../../identity/test-system/service-process.js";
import { sqliteDatabases } from "../../identity/test/databases.js";
import { rulesOf, usualRules } from "../src/pages/providers/setup/clicked-rules.js";
import { adminApi, type AdminApi } from "./console-browser.js";
import { DOCUMENTED_OPENID, DOCUMENTED_SAML, type ExpectedLogin } from "./documented-logins.js";

/** Kinds that other tests try: tokens of workloads, by their guides, and real Keystones. */
const ELSEWHERE = ["github", "kubernetes", "keystone"];
const CLIENT = { id: "cloud", secret: "a-secret-of-both" };

interface Kind {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly requires: readonly { readonly attribute: string }[];
  readonly settings: Readonly<Record<string, unknown>>;
}

type Answer = (
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
) => Promise<boolean> | boolean;

let service: ReachableService;
let api: AdminApi;
let kinds: ReadonlyMap<string, Kind>;
let provider: Server;
let url: string;
let answer: Answer;

beforeAll(async () => {
  service = await runService(sqliteDatabases, { IDENTITY_ALLOW_HTTP_ISSUERS: "on" });
  api = adminApi(service.url);
  const { protocol_types: types } = (await api("GET", "/v3/OS-FEDERATION/protocol_types")) as unknown as {
    protocol_types: { form: { kinds: Kind[] } | null }[];
  };
  kinds = new Map(types.flatMap(({ form }) => form?.kinds ?? []).map((kind) => [kind.id, kind]));
}, 60_000);
afterAll(async () => {
  await service?.close();
});
/** Each at an address of its own: two providers can't have one issuer. */
beforeEach(async () => {
  provider = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      void (async () => {
        if (!(await answer(request, body, response))) response.writeHead(404).end();
      })();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((done) => provider.once("listening", done));
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterEach(() => void provider.close());

it("has a login of each kind here, or elsewhere", () => {
  const tried = [...Object.keys(DOCUMENTED_OPENID), ...Object.keys(DOCUMENTED_SAML), ...ELSEWHERE];
  expect([...kinds.keys()].toSorted()).toEqual(tried.toSorted());
});

interface SetUp {
  readonly protocol: "openid" | "saml2";
  readonly settings: object;
  readonly remoteId: string;
  readonly expected: ExpectedLogin;
  readonly required?: Readonly<Record<string, string>> | undefined;
}

/** Creates the domain, the groups, the mapping, the provider and the protocol, as the wizard does. */
async function setUp(
  kind: Kind,
  { protocol, settings, remoteId, expected, required: values = {} }: SetUp,
): Promise<void> {
  const { domain } = (await api("POST", "/v3/domains", { domain: { name: kind.id } })) as unknown as {
    domain: { id: string };
  };
  for (const name of expected.groups)
    await api("POST", "/v3/groups", { group: { name, domain_id: domain.id } });
  const required = kind.requires.map(({ attribute }) => ({
    attribute,
    value: values[attribute] ?? "",
  }));
  const rules = rulesOf({ ...usualRules(kind), required }, domain.id);
  const at = (path: string) => `/v3/OS-FEDERATION/${path}`;
  await api("PUT", at(`mappings/${kind.id}`), { mapping: { rules } });
  await api("PUT", at(`identity_providers/${kind.id}`), {
    identity_provider: { enabled: true, domain_id: domain.id, remote_ids: [remoteId] },
  });
  const made = (await api("PUT", at(`identity_providers/${kind.id}/protocols/${protocol}`), {
    protocol: { mapping_id: kind.id, settings },
  })) as unknown as { protocol: { checks: { status: string; message: string }[] } };
  expect(made.protocol.checks.filter(({ status }) => status === "failure")).toEqual([]);
}

async function factsOf({ status, text, token }: LoginResult): Promise<ExpectedLogin> {
  if (status !== 201) throw new Error(`${status} ${text}`);
  const found = await fetch(`${service.url}/v3/auth/tokens`, {
    headers: { "x-auth-token": token, "x-subject-token": token },
  });
  const { user } = ((await found.json()) as { token: { user: FederatedUser } }).token;
  const stored = (await api("GET", `/v3/users/${user.id}`)) as unknown as { user: { email?: string } };
  const groups = await Promise.all(
    user["OS-FEDERATION"].groups.map(async ({ id }) => {
      const { group } = (await api("GET", `/v3/groups/${id}`)) as unknown as { group: { name: string } };
      return group.name;
    }),
  );
  return { name: user.name, ...(stored.user.email !== undefined && { email: stored.user.email }), groups };
}

interface FederatedUser {
  readonly id: string;
  readonly name: string;
  readonly "OS-FEDERATION": { readonly groups: readonly { readonly id: string }[] };
}

const kindOf = (id: string): Kind => {
  const kind = kinds.get(id);
  if (kind === undefined) throw new Error(`no kind ${id}`);
  return kind;
};

it.each(Object.entries(DOCUMENTED_OPENID))(
  "%s: its ID token and userinfo give the user and the groups",
  async (id, { issuer, endpoints, scopes, idToken, userInfo, required, expected }) => {
    const kind = kindOf(id);
    // Zitadel's had the name of a claim, which is no scope: no roles came.
    expect(scopes).toEqual(expect.arrayContaining(kind.settings["scopes"] as string[]));
    const simulated = simulateOpenId(
      url,
      {
        accessHeader: undefined,
        discovery: () => ({
          authorization_endpoint: url + endpoints.authorization,
          token_endpoint: url + endpoints.token,
          userinfo_endpoint: url + endpoints.userinfo,
          jwks_uri: url + endpoints.jwks,
        }),
      },
      {
        issuer: url + issuer,
        client: CLIENT,
        deviceClientId: CLIENT.id,
        accessToken: {},
        idToken: { iss: url + issuer, aud: CLIENT.id, ...idToken },
        userInfo,
        tokenInfo: {},
      },
    );
    answer = (request, body, response) => simulated.answer(request, new URLSearchParams(body), response);
    const settings = {
      type: "openid",
      ...kind.settings,
      issuer: url + issuer,
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
    };
    await setUp(kind, { protocol: "openid", settings, remoteId: url + issuer, expected, required });
    expect(await factsOf(await logInByOpenId(service.url, id))).toEqual(expected);
  },
);

it.each(Object.entries(DOCUMENTED_SAML))(
  "%s: its assertion gives the user and the groups",
  async (id, { entityId, metadata, assertion, expected }) => {
    const kind = kindOf(id);
    const simulated = simulateSaml(
      url,
      { signs: ["assertion"] },
      {
        entityId: url + entityId,
        shown: assertion,
        audience: `${service.url}/v3/OS-FEDERATION/saml2/idp`,
        certificate: "",
      },
    );
    answer = (request, body, response) => {
      if (request.url !== metadata) return simulated.answer(request, body, response);
      response.end(simulated.metadata);
      return true;
    };
    const settings = { type: "saml2", ...kind.settings, idp_metadata_url: url + metadata };
    await setUp(kind, { protocol: "saml2", settings, remoteId: url + entityId, expected });
    expect(await factsOf(await logInBySaml(service.url, id))).toEqual(expected);
  },
);
