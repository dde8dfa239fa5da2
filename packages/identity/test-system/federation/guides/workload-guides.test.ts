/** Runs the commands of the guides to workloads, with issuers that sign the tokens that they show. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import { guidesWith } from "../../../test/federation/guides/guide.js";
import { createIssuer } from "../../../test/federation/workload/issuer.js";
import { guideService, type GuideService } from "./guide-service.js";

const guides = guidesWith("workload-setup").map((guide) => [guide.name, guide] as const);

describe.each(guides)("docs/identity/providers/%s.md", (_, guide) => {
  const issuer = createIssuer("key of the guide");
  let service: GuideService;
  let server: Server;
  let url = "";

  /** A block with addresses of the service that is tested and of the issuer. */
  function text(block: string): string {
    const { iss } = JSON.parse(guide.block("workload-token")) as { iss: string };
    return guide
      .block(block)
      .replaceAll(iss, url)
      .replaceAll(/https:\/\/id\.example\.org(?=\/)/g, service.process.url)
      .replaceAll("/var/run/secrets/hamkit/token", "jwt");
  }

  beforeAll(async () => {
    service = await guideService(sqliteDatabases);
    server = createServer((request, response) => {
      const documents: Record<string, object> = {
        "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
        "/keys": { keys: [issuer.jwk] },
        "/bundle": { keys: [{ ...issuer.jwk, use: "jwt-svid", alg: undefined }], spiffe_sequence: 1 },
        // The endpoint of GitHub's runners.
        "/token?api-version=2.0&audience=https://id.example.org": { value: jwt },
      };
      response.end(JSON.stringify(documents[request.url ?? ""] ?? {}));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const now = Math.floor(Date.now() / 1000);
    const claims = JSON.parse(text("workload-token")) as Record<string, unknown>;
    const jwt = await issuer.sign({ ...claims, iat: now, exp: now + 300 });
    const settings = JSON.parse(text("workload-settings")) as { jwks?: object };
    if (settings.jwks !== undefined) settings.jwks = { keys: [issuer.jwk] };
    await service.write("settings.json", JSON.stringify(settings));
    await service.write("rules.json", text("workload-rules"));
    await service.write("jwt", jwt);
    await service.pretend("spire-agent", JSON.stringify([{ svids: [{ svid: jwt }] }]));
    const { projects } = await service.ask<{ projects: readonly { id: string }[] }>(
      "GET",
      "/v3/projects?name=atelier",
    );
    const variables = {
      HAMKIT_ID_TOKEN: jwt,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the runner",
      project: projects[0]?.id ?? "",
    };
    environment = Object.entries(variables)
      .map(([name, value]) => `export ${name}='${value}'`)
      .join("\n");
  });
  afterAll(async () => {
    await service.close();
    server.close();
  });
  let environment = "";

  const expected = () => {
    const { user } = JSON.parse(text("workload-result")) as { user: { name: string } };
    return { user: user.name, groups: ["deployers"], project: "atelier" };
  };

  it("sets the provider up, and logs in with openstack", async () => {
    await service.run(text("workload-setup"));
    const table = await service.runAlone(`${environment}\n${text("workload-login")}`);
    expect(await service.factsOf(/\| id +\| (\S+)/.exec(table)?.[1] ?? "")).toEqual(expected());
  });

  it("exchanges the token", async () => {
    const [jwt = ""] = text("workload-login").split("export OS_AUTH_TYPE");
    const output = await service.runAlone(`${environment}\n${jwt}\n${text("workload-exchange")}`);
    expect(await service.factsOf(output.trim())).toEqual(expected());
  });
});
