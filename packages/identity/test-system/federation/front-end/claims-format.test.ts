/** `"claims_format": "mod_auth_openidc"`: the texts of claims, next to those that Debian's module makes of the same token. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";

import { claimAttributes } from "../../../src/federation/protocols/openid/claim-attributes.js";
import { freePort } from "../../free-port.js";
import { startApache, type Apache } from "./apache.js";

const SECRET = "a-secret-of-thirty-two-characters";
const CLAIMS = {
  sub: "kim",
  text: "kim",
  umlaut: "Jürgen",
  blank: "",
  yes: true,
  no: false,
  integer: 42,
  negative: -7,
  zero: 0,
  largest: 9007199254740991,
  half: 1.5,
  fraction: 0.1234567,
  tiny: 1e-7,
  amount: 1234567.891,
  list: ["a", "b"],
  one: ["a"],
  none: [],
  mixed: ["a", 3, true, false, 1.5, null, { x: 1 }, ["y"]],
  numbers: [1, 2],
  object: { country: "DE", n: 1, half: 1.5, yes: true, nothing: null, list: ["a", 1], deep: { er: "x" } },
  quotes: { text: 'a "b" / c\\ ü', empty: {} },
  empty: {},
  nothing: null,
};

let folder: string;
let apache: Apache;
let backend: Server;
let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-claims-"));
  backend = createServer((request, response) => response.end(JSON.stringify(request.headers)));
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  port = await freePort();
  const configuration = `
OIDCCryptoPassphrase passphrase
OIDCClaimPrefix OIDC_CLAIM_
OIDCClaimDelimiter ;
OIDCOAuthVerifySharedKeys plain##${SECRET}
OIDCOAuthRemoteUserClaim sub
<Location />
AuthType oauth20
Require valid-user
ProxyPass http://127.0.0.1:${(backend.address() as AddressInfo).port}/
</Location>`;
  apache = await startApache({ folder, sites: [{ port, configuration }] });
});
afterAll(async () => {
  await apache.stop();
  backend.close();
  await rm(folder, { recursive: true, force: true });
});

it("writes each claim as the module does", async () => {
  const token = await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(SECRET));
  const headers = { authorization: `Bearer ${token}` };
  const request = get(`https://127.0.0.1:${port}/`, { rejectUnauthorized: false, headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const sent = Object.entries((await json(answer)) as Record<string, string>)
    .filter(([name]) => name.startsWith("oidc_claim_") && name !== "oidc_claim_exp")
    .map(([name, value]) => [
      name.slice("oidc_claim_".length),
      compact(Buffer.from(value, "latin1").toString()),
    ]);
  const { attributes } = claimAttributes(CLAIMS, { attribute_prefix: "", claims_format: "mod_auth_openidc" });
  const ours = Object.entries(attributes).filter(([name]) => !/^HTTP_|REMOTE_USER/.test(name));
  expect(answer.statusCode).toBe(200);
  expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(ours));
});

/** Later releases than Debian 12's write objects without blanks. */
function compact(text: string): string {
  return text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text;
}
