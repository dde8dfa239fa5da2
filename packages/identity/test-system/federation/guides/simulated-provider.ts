/** A stand-in for the provider of a guide, on this computer. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { Guide } from "../../../test/federation/guides/guide.js";
import { freePort } from "../../free-port.js";
import {
  simulateOpenId,
  type Claims,
  type SimulatedOpenId,
  type SimulatedTokens,
} from "./simulated-openid.js";
import { simulateSaml, type SimulatedSaml } from "./simulated-saml.js";
import type { ProviderQuirks } from "./provider-quirks.js";

export interface SimulatedProvider {
  readonly url: string;
  readonly openid: SimulatedOpenId;
  readonly saml: SimulatedSaml;
  /** A block, with addresses of the service that is tested and of this provider. */
  text(block: string): string;
  json(block: string): Claims;
  close(): Promise<void>;
}

export interface SimulatedProviderOptions {
  readonly guide: Guide;
  readonly quirks: ProviderQuirks;
  readonly serviceUrl: string;
  /** The service's certificate in base64, for the encryption of assertions. */
  readonly certificate: string;
}

export async function startSimulatedProvider({
  guide,
  quirks,
  serviceUrl,
  certificate,
}: SimulatedProviderOptions): Promise<SimulatedProvider> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const text = (block: string) =>
    quirks.addresses.reduce(
      (told, address) => told.replaceAll(address, url),
      guide.block(block).replaceAll("https://id.example.org", serviceUrl),
    );
  const json = (block: string) => JSON.parse(text(block)) as Claims;
  const openid = simulateOpenId(url, quirks.openid, tokensOf(guide, json));
  const saml = simulateSaml(url, quirks.saml, {
    entityId: quirks.entityId(url),
    shown: text("saml-assertion"),
    audience: `${serviceUrl}/v3/OS-FEDERATION/saml2/idp`,
    certificate,
  });
  const metadataUrl = guide.has("saml-settings") ? String(json("saml-settings")["idp_metadata_url"]) : "";

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => void answer(request, response, body));
  });
  async function answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    if (url + request.url === metadataUrl) response.end(saml.metadata);
    else if (
      !saml.answer(request, body, response) &&
      !(await openid.answer(request, new URLSearchParams(body), response))
    )
      response.writeHead(404).end();
  }
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url,
    openid,
    saml,
    text,
    json,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function tokensOf(guide: Guide, json: (block: string) => Claims): SimulatedTokens {
  const settings = json("settings") as { issuer: string; client_id: string; audiences?: string[] };
  const accessToken = guide.has("access-token") ? json("access-token") : {};
  const idToken = guide.has("id-token") ? json("id-token") : idTokenLike(accessToken, settings.client_id);
  return {
    issuer: settings.issuer,
    client: { id: settings.client_id, secret: "..." },
    deviceClientId: settings.audiences?.[0] ?? settings.client_id,
    accessToken,
    idToken,
    userInfo: guide.has("user-info") ? json("user-info") : { sub: idToken["sub"] },
    tokenInfo: guide.has("token-info") ? json("token-info") : {},
  };
}

/** Keycloak's ID tokens have the claims of its access tokens if its mappers are configured so. */
function idTokenLike(claims: Claims, clientId: string): Claims {
  return { ...claims, scope: undefined, typ: "ID", aud: clientId };
}
