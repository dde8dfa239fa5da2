/** Checks of OpenID Connect settings against oidc-provider, and against documents with faults. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type {
  OpenIdSettings,
  AnyOpenIdSettings,
} from "../../../src/federation/protocols/openid/openid-settings.js";
import { CLIENT_ID, CLIENT_SECRET, startProvider, type TestProvider } from "../openid/test-provider.js";
import { checkWith, messagesOf, protocolChecks, summaryOf } from "./checked-protocol.js";

const DISCOVERY = "/.well-known/openid-configuration";

let op: TestProvider;
let settings: OpenIdSettings;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());
beforeEach(() => {
  settings = { type: "openid", issuer: op.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
});
afterEach(() => op.answers.clear());

const check = (changes: Partial<OpenIdSettings> = {}, remoteIds = [op.issuer], checks = protocolChecks()) =>
  checkWith(checks, { ...settings, ...changes }, remoteIds);

/** Answers a path with JSON. */
function answer(path: string, value: unknown): void {
  op.answers.set(path, (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(value));
  });
}

async function changeDiscovery(changes: object): Promise<void> {
  const found = (await (await fetch(op.issuer + DISCOVERY)).json()) as object;
  answer(DISCOVERY, { ...found, ...changes });
}

/** A port of this computer that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe("checks of OpenID Connect settings", () => {
  it("pass for oidc-provider, and name the redirect URI to register", async () => {
    const report = await check();
    expect(summaryOf(report)).toEqual([
      "mapping ok",
      "references ok",
      "discovery ok",
      "issuer ok",
      "remote-ids ok",
      "jwks ok",
      "introspection ok",
      "userinfo ok",
      "id-token ok",
      "client-authentication ok",
    ]);
    expect(report.register).toEqual({
      redirect_uri: "https://id.example.org/v3/OS-FEDERATION/identity_providers/acme/protocols/p/auth",
    });
  });

  it("name both issuers where the spelling differs", async () => {
    const report = await check({ issuer: `${op.issuer}/` }, [`${op.issuer}/`]);
    expect(summaryOf(report)).toEqual([
      "mapping ok",
      "references ok",
      "discovery ok",
      "issuer failure",
      "remote-ids ok",
      "client-authentication ok",
    ]);
    expect(messagesOf(report, "issuer")).toEqual([
      `discovery document names issuer "${op.issuer}", expected the setting's "${op.issuer}/": set "issuer" of the settings to ` +
        "the provider's own spelling",
    ]);
    const proposals = report.checks.map(({ proposal }) => proposal?.settings).filter(Boolean);
    expect(proposals).toEqual([{ issuer: op.issuer }]);
  });

  it("name the network error of a provider that is down", async () => {
    const issuer = `http://127.0.0.1:${await closedPort()}`;
    const report = await check({ issuer }, [issuer]);
    expect(messagesOf(report, "discovery")).toEqual([
      `request to ${new URL(issuer).host}: no response (ECONNREFUSED): check "issuer" of the settings, "${issuer}"`,
    ]);
    expect(summaryOf(report)).toContain("discovery failure");
    expect(summaryOf(report).some((line) => line.startsWith("jwks"))).toBe(false);
  });

  it("refuse an HTTP issuer without a request, and name the setting", async () => {
    const before = op.asked.length;
    const report = await check({}, [op.issuer], protocolChecks({ allowsHttpIssuers: false }));
    expect(messagesOf(report, "discovery")).toEqual([
      `issuer "${op.issuer}" is an HTTP address, expected https: change "issuer" of the settings, or, for development, set ` +
        "IDENTITY_ALLOW_HTTP_ISSUERS",
    ]);
    expect(op.asked).toHaveLength(before);
  });

  it("say the same of open and closed ports in networks that are not the operator's", async () => {
    const checks = protocolChecks({ allowsHttpIssuers: false });
    const messages = [];
    for (const port of [new URL(op.issuer).port, await closedPort()]) {
      const issuer = `https://127.0.0.1:${port}`;
      const [message = ""] = messagesOf(await check({ issuer }, [issuer], checks), "discovery");
      messages.push(message.replaceAll(String(port), "PORT"));
    }
    expect(messages[0]).toBe(
      "request to 127.0.0.1: its address is not public (private networks: IDENTITY_PROVIDER_NETWORKS): check " +
        '"issuer" of the settings, "https://127.0.0.1:PORT"',
    );
    expect(messages[1]).toBe(messages[0]);
  });

  it("do not show the address that a name resolves to", async () => {
    const port = await closedPort();
    const report = await check(
      { issuer: `https://op.example.org:${port}` },
      [],
      protocolChecks({
        isProviderNetwork: () => true,
        lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
      }),
    );
    expect(messagesOf(report, "discovery")[0]).toContain(
      `request to op.example.org:${port}: no response (ECONNREFUSED)`,
    );
    expect(JSON.stringify(report)).not.toContain("127.0.0.1");
  });

  it("warn of a provider that signs with the client's secret alone", async () => {
    const offering = async (algorithms: unknown) => {
      answer(DISCOVERY, {
        issuer: op.issuer,
        jwks_uri: `${op.issuer}/jwks`,
        id_token_signing_alg_values_supported: algorithms,
      });
      const report = await check();
      return [
        summaryOf(report).find((line) => line.startsWith("id-token")),
        messagesOf(report, "id-token")[0],
      ];
    };
    expect(await offering(["HS256", "HS512"])).toEqual([
      "id-token warning",
      expect.stringMatching(
        /^the provider signs ID tokens with "HS256", "HS512" .*, expected one of RS256, /,
      ),
    ]);
    expect((await offering(["ES256K"]))[0]).toBe("id-token warning");
    expect((await offering(["HS256", "ES256"]))[0]).toBe("id-token ok");
    expect((await offering(undefined))[0]).toBe("id-token ok");
  });

  it("name the status of discovery", async () => {
    op.answers.set(DISCOVERY, (_, response) => response.writeHead(404).end());
    expect(messagesOf(await check(), "discovery")[0]).toContain("discovery is answered with status 404");
  });

  it("show nothing of a response that is no discovery document", async () => {
    for (const path of [DISCOVERY, "/jwks"]) {
      op.answers.clear();
      op.answers.set(path, (_, response) => response.end("secret of another service"));
      const report = await check();
      expect(JSON.stringify(report)).toContain("the response is not JSON");
      expect(JSON.stringify(report)).not.toContain("secret of");
    }
    answer("/jwks", null);
    expect(messagesOf(await check(), "jwks")[0]).toMatch(/has no list "keys"$/);
  });

  it("fail where the issuer is not among the remote ids", async () => {
    const report = await check({}, ["https://other.example.org"]);
    expect(messagesOf(report, "remote-ids")).toEqual([
      `"${op.issuer}" is not among the provider's remote_ids ("https://other.example.org"), so that logins are rejected: add ` +
        "it by PATCH of the identity provider",
    ]);
    expect(summaryOf(report)).toContain("remote-ids failure");
    expect(summaryOf(await check({}, []))).toContain("remote-ids ok");
  });

  it("fail without a key that is strong enough, and warn of weak ones next to others", async () => {
    const rsa = (modulusLength: number) =>
      generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" });
    const [weak, strong] = [rsa(1024), rsa(2048)];
    answer("/jwks", { keys: [weak, { ...strong, use: "enc" }] });
    const failing = await check();
    expect(summaryOf(failing)).toContain("jwks failure");
    expect(messagesOf(failing, "jwks")[0]).toMatch(
      /^0 of 2 keys at jwks_uri ".*\/jwks" can sign tokens; ignored: RSA key of 1024 bits, expected at least 2048: /,
    );
    answer("/jwks", { keys: [weak, strong] });
    expect(summaryOf(await check())).toContain("jwks warning");
    answer("/jwks", { keys: "none" });
    expect(messagesOf(await check(), "jwks")[0]).toMatch(/has no list "keys"$/);
    op.answers.set("/jwks", (_, response) => response.writeHead(500).end());
    expect(messagesOf(await check(), "jwks")[0]).toMatch(/is answered with status 500, expected 200$/);
  });

  it("warn without introspection, unless token_info_url replaces it, and without userinfo", async () => {
    await changeDiscovery({ introspection_endpoint: undefined, userinfo_endpoint: undefined });
    const lines = summaryOf(await check());
    expect(lines).toContain("introspection warning");
    expect(lines).toContain("userinfo warning");
    const google = await check({ token_info_url: "https://oauth2.example.org/tokeninfo" });
    expect(summaryOf(google)).toContain("introspection ok");
  });

  it("fail where the secret of the client is missing or no key, and warn of a method that is not offered", async () => {
    const report = await check({ client_secret: null, client_auth_method: "client_secret_post" });
    expect(messagesOf(report, "client-authentication")).toEqual([
      "the protocol's settings have no client_secret",
    ]);
    const key = await check({
      client_private_key: "-----BEGIN PRIVATE KEY-----\nno key\n-----END PRIVATE KEY-----",
    });
    expect(summaryOf(key)).toContain("client-authentication failure");
    await changeDiscovery({ token_endpoint_auth_methods_supported: ["private_key_jwt"] });
    expect(messagesOf(await check(), "client-authentication")).toEqual([
      'the client authenticates by client_secret_basic, the provider offers "private_key_jwt": set "client_auth_method" of ' +
        "the settings",
    ]);
  });

  it("need no client and, with keys of their own, no discovery for workloads", async () => {
    const workload: AnyOpenIdSettings = {
      type: "openid",
      issuer: op.issuer,
      token_kinds: ["workload"],
      audiences: ["cloud"],
      conditions: [{ claim: "sub", values: ["repo:a/b:*"] }],
    };
    const found = async (changes: object) => {
      const report = await checkWith(protocolChecks(), { ...workload, ...changes }, [op.issuer]);
      expect(report.register).toEqual({});
      return summaryOf(report).slice(2);
    };
    expect(await found({})).toEqual(["discovery ok", "issuer ok", "remote-ids ok", "jwks ok"]);
    op.answers.set(DISCOVERY, (_, response) => response.writeHead(404).end());
    expect(await found({ jwks_uri: `${op.issuer}/jwks` })).toEqual(["remote-ids ok", "jwks ok"]);
    expect(await found({ jwks_uri: `${op.issuer}/none` })).toEqual(["remote-ids ok", "jwks failure"]);
    expect(await found({ jwks: { keys: [] } })).toEqual(["remote-ids ok"]);
  });

  it("never show a secret", async () => {
    const client_secret = "hunter2-hunter2";
    expect(JSON.stringify(await check({ client_secret }))).not.toContain(client_secret);
  });

  it("report what is not finished in time, and answer", async () => {
    op.answers.set("/jwks", () => undefined);
    const report = await check({}, [op.issuer], protocolChecks({ timeoutMs: 1000 }));
    expect(messagesOf(report, "jwks")).toEqual(["not finished within 1000 ms"]);
    expect(summaryOf(report)).toEqual(expect.arrayContaining(["discovery ok", "issuer ok", "jwks failure"]));
  });

  it("of more than four protocols at a time are not run, and are again when others have ended", async () => {
    const held: (() => void)[] = [];
    op.answers.set(DISCOVERY, (_, response) => {
      held.push(() => response.writeHead(404).end());
    });
    const checks = protocolChecks();
    const running = [1, 2, 3, 4].map(() => check({}, [op.issuer], checks));
    const surplus = await check({}, [op.issuer], checks);
    expect(surplus.checks).toEqual([
      {
        check: "checks",
        status: "failure",
        message: "not run, since 4 protocols are being checked: send POST .../refresh in a few seconds",
      },
    ]);
    expect(surplus.register["redirect_uri"]).toContain("/acme/protocols/p/auth");
    await expect.poll(() => held.length).toBe(4);
    for (const end of held) end();
    await Promise.all(running);
    op.answers.clear();
    expect(summaryOf(await check({}, [op.issuer], checks))).toContain("discovery ok");
  });
});
