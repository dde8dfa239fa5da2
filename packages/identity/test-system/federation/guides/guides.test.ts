/** Runs every block of the provider guides against simulated providers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { guidesWith } from "../../../test/federation/guides/guide.js";
import { FAILURES, type Failing } from "./failures.js";
import { guideService, type GuideService } from "./guide-service.js";
import { logInByOpenId, logInBySaml, type LoginResult } from "./browser-login.js";
import { startSimulatedProvider, type SimulatedProvider } from "./simulated-provider.js";
import { QUIRKS, type ProviderQuirks } from "./provider-quirks.js";

interface Identity {
  readonly user: { readonly name: string };
  readonly group_names: readonly { readonly name: string }[];
}

type Checks = readonly { readonly check: string; readonly status: string }[];

/** Groups that the commands of the guides create; other groups of the users are ignored. */
const GROUPS = new Set(["operators", "staff"]);

const guides = guidesWith("setup").map((guide) => [guide.name, guide] as const);

describe.each(guides)(`docs/identity/providers/%s.md, with ${sqliteDatabases.name}`, (name, guide) => {
  const quirks = QUIRKS[name] as ProviderQuirks;
  const { openid: openIdFailures = {}, saml2: samlFailures = {} } = FAILURES[name] ?? {};
  let service: GuideService;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    service = await guideService(sqliteDatabases);
    const serviceUrl = service.process.url;
    provider = await startSimulatedProvider({
      guide,
      quirks,
      serviceUrl,
      certificate: await service.certificate(),
    });
    for (const block of ["settings", "rules", "assertion", "saml-settings", "saml-rules"])
      if (guide.has(block)) await service.write(`${block}.json`, provider.text(block));
    await service.write("GoogleIDPMetadata.xml", provider.saml.metadata);
    await service.pretend("az", await provider.openid.issue(provider.openid.tokens.accessToken));
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
  });

  const expected = (block: string) => {
    const { user, group_names: groups } = provider.json(block) as unknown as Identity;
    const names = groups.map((group) => group.name).filter((group) => GROUPS.has(group));
    return { user: user.name, groups: names.toSorted() };
  };
  const tokenIn = (table: string) => /\| id +\| (\S+)/.exec(table)?.[1] ?? "";

  /** User, groups and project of a browser's token. */
  async function factsOf({ status, token, text }: LoginResult) {
    if (status !== 201) throw new Error(`${status} ${text}\n${service.process.output().slice(-1000)}`);
    return service.factsOf(token);
  }

  /** The log of a failing login, and whether it succeeded all the same. */
  async function tried(fail: Failing | undefined) {
    if (fail === undefined) throw new Error("FAILURES has no entry for this reason");
    const before = service.process.output().length;
    const status = await fail({ service, provider, id: quirks.id });
    const isRejected = status === 401 || status === 403;
    return { isAccepted: status === 201, isRejected, log: service.process.output().slice(before) };
  }

  const expectedFor = (reason: string) => {
    const isAccepted = reason.startsWith("the provider has left out");
    const log: unknown = expect.stringContaining(JSON.stringify(reason).slice(1, -1));
    return { isAccepted, isRejected: !isAccepted, log };
  };

  it("sets up OpenID Connect", async () => {
    await service.run(provider.text("setup"));
    expect(JSON.parse(await service.run(provider.text("try")))).toEqual(provider.json("result"));
  });

  const checksOf = async (block: string) => JSON.parse(await service.run(provider.text(block))) as Checks;

  it("changes a part of the settings, which stays checked", async () => {
    const checks = await checksOf("change");
    expect(checks.filter(({ status }) => status === "failure")).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ check: "issuer", status: "ok" }));
  });

  it("logs in a browser with OpenID Connect", async () => {
    const { redirectUri, ...entered } = await logInByOpenId(service.process.url, quirks.id);
    const block = guide.has("browser-result") ? "browser-result" : "result";
    expect(await factsOf(entered)).toMatchObject(expected(block));
    expect(guide.text).toContain(redirectUri.replace(service.process.url, "https://id.example.org"));
  });

  it("logs in the openstack command with OpenID Connect", async () => {
    const table = await service.runAlone(provider.text("login"));
    expect(await service.factsOf(tokenIn(table))).toEqual({ ...expected("result"), project: "atelier" });
  });

  it.each(guide.reasons.openid)("OpenID Connect: the log has `%s`", async (reason) => {
    expect(await tried(openIdFailures[reason])).toEqual(expectedFor(reason));
  });

  it("sets up SAML, and logs in a browser", async () => {
    await service.run(provider.text("saml-setup"));
    const entered = await logInBySaml(service.process.url, quirks.samlId ?? quirks.id);
    expect(await factsOf(entered)).toMatchObject(expected("saml-result"));
    const tells = (url: string) =>
      guide.text.includes(url.replace(service.process.url, "https://id.example.org"));
    const isTyped = tells(entered.consumerUrl) && tells(provider.saml.assertion.audience);
    // The provider reads the service's metadata instead of typed addresses.
    expect(isTyped || tells(`${service.process.url}/v3/OS-FEDERATION/saml2/metadata`)).toBe(true);
  });

  it("reads the metadata again, or is sent another one", async () => {
    const checks = await checksOf(guide.has("saml-change") ? "saml-change" : "saml-refresh");
    expect(checks.filter(({ status }) => status === "failure")).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ check: "metadata", status: "ok" }));
  });

  // Most providers know no ECP.
  it.each(["saml-login"].filter((block) => guide.has(block)))(
    "logs in the openstack command with SAML",
    async (block) => {
      const table = await service.runAlone(provider.text(block));
      expect(await service.factsOf(tokenIn(table))).toEqual({
        ...expected("saml-result"),
        project: "atelier",
      });
    },
  );

  it.each(guide.reasons.saml2)("SAML: the log has `%s`", async (reason) => {
    expect(await tried(samlFailures[reason])).toEqual(expectedFor(reason));
  });
});
