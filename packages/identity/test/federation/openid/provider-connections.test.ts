/** Discovery document and JWKS of a provider: caching, key rollover, and addresses that are refused. */
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  AUDIENCE,
  publicKey,
  signingKeys,
  startProvider,
  type RequestHandler,
  type TestProvider,
} from "./test-provider.js";
import {
  assertionFor,
  bearing,
  protocolOf,
  refusalOf,
  testVerifier,
  type OpenIdVerifier,
  type VerifierChoices,
} from "./test-verifier.js";

const DISCOVERY = "/.well-known/openid-configuration";

let op: TestProvider;
let now: number;
beforeEach(async () => {
  op = await startProvider();
  now = Date.now();
});
afterEach(() => op.close());

const verifierAt = (choices: VerifierChoices = {}) => testVerifier({ clock: { now: () => now }, ...choices });

function token(keys = op.keys): Promise<string> {
  const seconds = Math.floor(now / 1000);
  return keys.sign({ iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp: seconds + 3000 });
}

const json =
  (value: unknown): RequestHandler =>
  (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(value));
  };

/** Changes the provider's discovery document. */
async function tell(others: object): Promise<void> {
  const found = (await (await fetch(op.issuer + DISCOVERY)).json()) as object;
  op.answers.set(DISCOVERY, json({ ...found, ...others }));
}

const login = async (verifier = verifierAt(), settings = {}) =>
  verifier.verify(bearing(await token()), protocolOf(op.issuer, settings));

describe("a provider", () => {
  it("is asked for its document and its keys once in five minutes", async () => {
    const verifier = verifierAt();
    for (let logins = 0; logins < 3; logins += 1) await login(verifier);
    expect(op.asked).toEqual([DISCOVERY, "/jwks"]);
    now += 300_000;
    await login(verifier);
    expect(op.asked).toEqual([DISCOVERY, "/jwks", DISCOVERY, "/jwks"]);
  });

  describe("that users log in by", () => {
    let planned: { readonly work: () => void; readonly delayMs: number }[];
    let verifier: OpenIdVerifier;
    beforeEach(() => {
      planned = [];
      verifier = verifierAt({ schedule: (work, delayMs) => planned.push({ work, delayMs }) });
    });
    /** Lets the time of the next refresh come. */
    function refresh(): void {
      const next = planned.shift();
      now += next?.delayMs ?? NaN;
      next?.work();
    }

    it("is asked for its document and its keys in the background: no login waits", async () => {
      await login(verifier);
      refresh();
      await expect.poll(() => planned.length).toBe(1);
      expect(op.asked).toEqual([DISCOVERY, "/jwks", DISCOVERY, "/jwks"]);
      now += 200_000;
      await login(verifier);
      expect(op.asked).toHaveLength(4);
    });

    it.each([DISCOVERY, "/jwks"])("is used for an hour while it does not answer for %s", async (path) => {
      const began = now;
      await login(verifier);
      op.answers.set(path, (_, response) => response.writeHead(503).end());
      refresh();
      await expect.poll(() => planned.length).toBe(1);
      now = began + 3_599_999;
      expect(await refusalOf(login(verifier))).toBe("not refused");
      now += 60_000;
      expect(await refusalOf(login(verifier))).toMatch(/^(?:discovery|access-token): .*(?:503|200)/);
    });
  });

  it("is asked once by many who come at the same time", async () => {
    const verifier = verifierAt();
    await Promise.all([login(verifier), login(verifier), login(verifier)]);
    expect(op.asked).toEqual([DISCOVERY, "/jwks"]);
  });

  it("is requested again when its settings change", async () => {
    const verifier = verifierAt();
    await login(verifier);
    expect(await refusalOf(login(verifier, { audiences: ["https://other.example.org"] }))).toMatch(/"aud"/);
    await login(verifier, { client_secret: "another" });
    expect(op.asked.filter((path) => path === DISCOVERY)).toHaveLength(3);
  });

  it("is asked again after it did not answer, at most each 5 s", async () => {
    const verifier = verifierAt();
    op.answers.set(DISCOVERY, (_, response) => response.writeHead(503).end());
    for (let logins = 0; logins < 3; logins += 1)
      expect(await refusalOf(login(verifier))).toBe("discovery: discovery is answered with status 503");
    expect(op.asked).toEqual([DISCOVERY]);
    op.answers.clear();
    now += 5000;
    expect(await assertionFor(login(verifier))).toMatchObject({ remoteId: op.issuer });
  });

  it("may change its keys: an unknown kid refreshes the JWKS, at most every 30 s", async () => {
    const verifier = verifierAt();
    const first = signingKeys("old");
    const second = signingKeys("new");
    op.answers.set("/jwks", json({ keys: [publicKey(first)] }));
    const loginBy = async (keys: typeof first) =>
      verifier.verify(bearing(await token(keys)), protocolOf(op.issuer));
    await loginBy(first);
    op.answers.set("/jwks", json({ keys: [publicKey(first), publicKey(second)] }));
    expect(await refusalOf(loginBy(second))).toMatch(/no applicable key/);
    expect(await refusalOf(loginBy(second))).toMatch(/no applicable key/);
    expect(op.asked.filter((path) => path === "/jwks")).toHaveLength(1);
    const elapse = Date.now;
    Date.now = () => elapse() + 30_001;
    try {
      expect(await assertionFor(loginBy(second))).toMatchObject({ remoteId: op.issuer });
      expect(await assertionFor(loginBy(first))).toMatchObject({ remoteId: op.issuer });
    } finally {
      Date.now = elapse;
    }
  });
});

describe("a key of the provider that is too weak", () => {
  /** As jose refuses to sign it. */
  function weakToken(header: object): string {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp: seconds + 3000 };
    const parts = [{ alg: "RS256", typ: "at+jwt", ...header }, claims];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${text}.${sign("sha256", Buffer.from(text), WEAK.privateKey).toString("base64url")}`;
  }
  const WEAK = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const jwk = { ...WEAK.publicKey.export({ format: "jwk" }), kid: "weak", alg: "RS256", use: "sig" };
  const loginBy = (text: string) => verifierAt().verify(bearing(text), protocolOf(op.issuer));

  it.each([[{ kid: "weak" }], [{}]])("is ignored and logged: %j", async (header) => {
    op.answers.set("/jwks", json({ keys: [jwk] }));
    expect(await refusalOf(loginBy(weakToken(header)))).toBe(
      'access-token: weak keys of the JWKS are not used: RSA key of 1024 bits, expected at least 2048 (kid "weak") (no applicable key found in the JSON Web Key Set)',
    );
  });

  it("is named in the log with two more, where there are others", async () => {
    const keys = ["a", "b", "c", "d"].map((kid) => Object.assign({}, jwk, { kid }));
    op.answers.set("/jwks", json({ keys }));
    const named = (kid: string) => `RSA key of 1024 bits, expected at least 2048 (kid "${kid}")`;
    expect(await refusalOf(loginBy(weakToken({})))).toContain(
      `weak keys of the JWKS are not used: ${named("a")}; ${named("b")}; ${named("c")}; and others (`,
    );
  });

  it("keeps no other key of the provider's from counting, where a token names none", async () => {
    const { kid: _, ...nameless } = jwk;
    op.answers.set("/jwks", json({ keys: [nameless, publicKey(op.keys)] }));
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp: seconds + 3000 };
    const text = await op.keys.sign(claims, { kid: undefined });
    expect(await assertionFor(loginBy(text))).toMatchObject({ remoteId: op.issuer });
    expect(await refusalOf(loginBy(weakToken({})))).toMatch(/^access-token: signature verification failed/);
  });

  it.each([["null"], ["[]"], ["<html>"], ['{"keys":{}}'], ['{"keys":[1]}']])(
    "is not looked for in what is no JWKS: %s",
    async (text) => {
      op.answers.set("/jwks", (_, response) => response.end(text));
      expect(await refusalOf(loginBy(weakToken({})))).toMatch(/^access-token: .*JSON Web Key Set/);
    },
  );
});

describe("a token that names no key", () => {
  /** Public keys without private keys, each with another modulus. */
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const n = Buffer.alloc(256, index + 1);
      n.writeUInt32BE(0xc000_0000 + index, 0);
      n[255] = 1;
      return { kty: "RSA", n: n.toString("base64url"), e: "AQAB", alg: "RS256", use: "sig" };
    });
  const loginWithoutKid = async () => {
    const exp = Math.floor(Date.now() / 1000) + 3000;
    const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp };
    return verifierAt().verify(
      bearing(await op.keys.sign(claims, { kid: undefined })),
      protocolOf(op.issuer),
    );
  };

  it("is tried with twenty keys of the provider", async () => {
    op.answers.set("/jwks", json({ keys: [...others(19), publicKey(op.keys)] }));
    expect(await assertionFor(loginWithoutKid())).toMatchObject({ remoteId: op.issuer });
  });

  it.each([20, 2200])(
    "is refused, not tried for seconds, where the key comes behind %i others",
    async (count) => {
      op.answers.set("/jwks", json({ keys: [...others(count), publicKey(op.keys)] }));
      expect(await refusalOf(loginWithoutKid())).toMatch(
        /^access-token: signature does not verify with the first 20 keys of the JWKS/,
      );
    },
  );
});

describe("attacks by a discovery document are rejected:", () => {
  it("discovery with another issuer", async () => {
    await tell({ issuer: "https://other.example.org" });
    expect(await refusalOf(login())).toMatch(
      /^discovery: discovery document names issuer .*, expected the setting's /,
    );
  });

  it.each([
    ["/", ""],
    ["", "/"],
  ])("discovery with an issuer that differs by a slash (%j, %j)", async (found, asked) => {
    await tell({ issuer: op.issuer + found });
    const protocol = protocolOf(op.issuer + asked);
    const refusal = await refusalOf(verifierAt().verify(bearing(await token()), protocol));
    expect(refusal).toMatch(/^discovery: discovery document names issuer .*, expected the setting's /);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/jwks",
    "http://[::1]:5902/jwks",
    "http://2130706434:5902/jwks",
    "http://[::ffff:127.0.0.1]/jwks",
    "http://localhost:5902/jwks",
    "https://localhost/jwks",
    "file:///etc/passwd",
  ])("JWKS pointing inward, to %s", async (address) => {
    const local = createServer((_, response) => response.end());
    let connections = 0;
    local.on("connection", () => (connections += 1));
    await new Promise<void>((done) => local.listen(0, "localhost", done));
    const { port } = local.address() as AddressInfo;
    await tell({ issuer: op.issuer, jwks_uri: address.replace("5902", String(port)) });
    // The issuer's own address may be one inside, for development; no other.
    const refusal = await refusalOf(login());
    expect(refusal).toMatch(/^access-token: .*(?:is not public|not allowed)/);
    expect(connections).toBe(0);
    local.close();
  });

  it("JWKS that redirects inward", async () => {
    op.answers.set("/jwks", (_, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/jwks" }).end(),
    );
    expect(await refusalOf(login())).toBe("access-token: jwks_uri is answered with status 302");
  });

  it("discovery that redirects", async () => {
    op.answers.set(DISCOVERY, (_, response) => response.writeHead(302, { location: "/other" }).end());
    expect(await refusalOf(login())).toBe("discovery: discovery is answered with status 302");
    expect(op.asked).toEqual([DISCOVERY]);
  });

  it("more than 1 MB of keys", async () => {
    op.answers.set("/jwks", json({ keys: [], more: "x".repeat(1 << 20) }));
    expect(await refusalOf(login())).toMatch(/more than 1048576 bytes/);
  });

  it.each([["null"], ["[]"], ["<html>"], ['{"issuer":1}']])(
    "discovery that is no document: %s",
    async (text) => {
      op.answers.set(DISCOVERY, (_, response) => response.end(text));
      expect(await refusalOf(login())).toMatch(/^discovery: /);
    },
  );

  it("an issuer over HTTP, or on an address inside, where no operator has allowed that", async () => {
    expect(await refusalOf(login(verifierAt({ allowsHttpIssuers: false })))).toMatch(/http: is not allowed/);
    const inside = protocolOf(op.issuer.replace("http:", "https:"));
    const verifying = (choices: VerifierChoices) => verifierAt(choices).verify(bearing("opaque"), inside);
    expect(await refusalOf(verifying({ allowsHttpIssuers: false }))).toMatch(/is not public/);
    const isProviderNetwork = (address: string) => address === "127.0.0.1";
    // The listener does not speak TLS, but received a connection.
    expect(await refusalOf(verifying({ allowsHttpIssuers: false, isProviderNetwork }))).toMatch(
      /no response/,
    );
  });
});
