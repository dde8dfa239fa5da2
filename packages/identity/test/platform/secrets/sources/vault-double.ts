/**
 * A double of Vault's HTTP API over HTTPS, as its documentation has it: the transit engine with versions of keys, tokens with leases, and
 * the login methods token, AppRole and Kubernetes. Statuses and texts of errors are Vault's.
 */
import { createCipheriv, createDecipheriv, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { selfSignedCertificate } from "../../../../src/saml/self-signed-certificate.js";

interface TransitKey {
  readonly versions: Buffer[];
  minDecryption: number;
  type: string;
  exportable: boolean;
}

interface Token {
  endsAt: number;
  readonly ttlSeconds: number;
  renewable: boolean;
}

export interface VaultDouble {
  readonly url: string;
  /** The file of its certificate. */
  readonly caFile: string;
  /** `METHOD PATH` of each request, in order. */
  readonly requests: string[];
  readonly keys: Map<string, TransitKey>;
  readonly tokens: Map<string, Token>;
  /** What it does instead of answering as usual. */
  readonly mood: {
    isSealed: boolean;
    /** Answers with this status, as a node that can't serve the request. */
    status: number | undefined;
    delayMs: number;
    /** Redirects to the active node. */
    redirectTo: string | undefined;
    /** The namespace that requests must have. */
    namespace: string | undefined;
    /** Paths that policies deny. */
    denied: RegExp | undefined;
    /** Whether its errors quote the token, which those of Vault don't. */
    quotesToken: boolean;
  };
  /** Of AppRole and Kubernetes: what a login must send. */
  readonly login: { secretId: string; jwt: string; ttlSeconds: number; renewable: boolean };
  addToken(ttlSeconds?: number, renewable?: boolean): string;
  rotate(key: string): void;
  /** No longer accepts connections. */
  stop(): Promise<void>;
  /** Accepts them again, at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly errors: readonly string[],
  ) {
    super(String(status));
  }
}

const HOUR_MS = 3_600_000;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const TLS_KEY = privateKey.export({ type: "pkcs8", format: "pem" });

/**
 * @param folder Where it writes its certificate.
 * @param peer Another node, whose certificate it has.
 */
export async function startVault(folder: string, peer?: VaultDouble): Promise<VaultDouble> {
  const now = Date.now();
  const der = selfSignedCertificate(privateKey, {
    commonName: "localhost",
    from: now - HOUR_MS,
    until: now + HOUR_MS,
  });
  const own = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  const caFile = join(folder, `vault-ca-${randomUUID()}.pem`);
  const cert = peer === undefined ? own : readFileSync(peer.caFile);
  writeFileSync(caFile, cert);

  const keys = new Map<string, TransitKey>();
  const tokens = new Map<string, Token>();
  const requests: string[] = [];
  const login = { secretId: "secret-id", jwt: "jwt", ttlSeconds: 3600, renewable: true };
  const mood: VaultDouble["mood"] = {
    isSealed: false,
    status: undefined,
    delayMs: 0,
    redirectTo: undefined,
    namespace: undefined,
    denied: undefined,
    quotesToken: false,
  };

  function addToken(ttlSeconds = 3600, renewable = true): string {
    const token = `hvs.${randomBytes(24).toString("base64url")}`;
    tokens.set(token, {
      endsAt: ttlSeconds === 0 ? Infinity : Date.now() + ttlSeconds * 1000,
      ttlSeconds,
      renewable,
    });
    return token;
  }

  function validToken(text: unknown): Token {
    const token = typeof text === "string" ? tokens.get(text) : undefined;
    if (token === undefined || token.endsAt < Date.now()) throw new Refusal(403, ["permission denied"]);
    return token;
  }

  function respondTo(
    path: string,
    headers: IncomingMessage["headers"],
    body: Record<string, unknown>,
  ): object {
    if (mood.isSealed) throw new Refusal(503, ["Vault is sealed"]);
    if (mood.status !== undefined) throw new Refusal(mood.status, []);
    if (headers["x-vault-namespace"] !== mood.namespace) throw new Refusal(403, ["permission denied"]);
    const mounted = /^auth\/(approle|kubernetes)\/login$/.exec(path)?.[1];
    if (mounted === "approle") {
      if (body["role_id"] !== "role-id" || body["secret_id"] !== login.secretId)
        throw new Refusal(400, ["invalid role or secret ID"]);
      return loggedIn();
    }
    if (mounted === "kubernetes") {
      if (body["role"] !== "identity")
        throw new Refusal(400, [`invalid role name "${String(body["role"])}"`]);
      if (body["jwt"] !== login.jwt) throw new Refusal(403, ["permission denied"]);
      return loggedIn();
    }
    const token = validToken(headers["x-vault-token"]);
    if (mood.denied?.test(path) === true && mood.quotesToken)
      throw new Refusal(403, [`${String(headers["x-vault-token"])} may not do this`]);
    if (mood.denied?.test(path) === true)
      throw new Refusal(403, ["1 error occurred:\n\t* permission denied\n\n"]);
    if (path === "auth/token/lookup-self") {
      const ttl = token.endsAt === Infinity ? 0 : (token.endsAt - Date.now()) / 1000;
      return { data: { ttl, renewable: token.renewable } };
    }
    if (path === "auth/token/renew-self") {
      if (!token.renewable) throw new Refusal(400, ["lease is not renewable"]);
      token.endsAt = Date.now() + token.ttlSeconds * 1000;
      return {
        auth: { client_token: headers["x-vault-token"], lease_duration: token.ttlSeconds, renewable: true },
      };
    }
    const [, action, name = ""] = /^transit\/(encrypt|decrypt|keys)\/([^/]+)$/.exec(path) ?? [];
    if (action === undefined)
      throw new Refusal(404, [`no handler for route "${path}". route entry not found.`]);
    const key = keys.get(name);
    if (action === "keys") {
      if (key === undefined) throw new Refusal(404, []);
      return { data: describe(name, key) };
    }
    if (key === undefined) throw new Refusal(400, ["encryption key not found"]);
    return {
      data: action === "encrypt" ? encrypt(key, body["plaintext"]) : decrypt(key, body["ciphertext"]),
    };
  }

  function loggedIn() {
    const token = addToken(login.ttlSeconds, login.renewable);
    return { auth: { client_token: token, lease_duration: login.ttlSeconds, renewable: login.renewable } };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = (request.url ?? "").replace("/v1/", "");
    requests.push(`${request.method} ${path}`);
    await delay(mood.delayMs);
    const send = (status: number, content: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    if (mood.redirectTo !== undefined)
      return void response.writeHead(307, { location: `${mood.redirectTo}/v1/${path}` }).end();
    try {
      const text = Buffer.concat(chunks).toString();
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      send(200, respondTo(path, request.headers, body));
    } catch (error) {
      if (error instanceof Refusal) send(error.status, { errors: error.errors });
      else send(500, { errors: [String(error)] });
    }
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => void respond(request, response);
  let server = createServer({ key: TLS_KEY, cert }, listener);
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    url: `https://localhost:${port}`,
    caFile,
    requests,
    keys,
    tokens,
    mood,
    login,
    addToken,
    rotate(name) {
      const known = keys.get(name);
      if (known === undefined)
        keys.set(name, {
          versions: [randomBytes(32)],
          minDecryption: 1,
          type: "aes256-gcm96",
          exportable: false,
        });
      else known.versions.push(randomBytes(32));
    },
    stop,
    async start() {
      server = createServer({ key: TLS_KEY, cert }, listener);
      server.listen(port, "localhost");
      await once(server, "listening");
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}

function describe(name: string, { versions, minDecryption, type, exportable }: TransitKey) {
  return {
    name,
    type,
    exportable,
    allow_plaintext_backup: false,
    deletion_allowed: false,
    derived: false,
    latest_version: versions.length,
    min_decryption_version: minDecryption,
    min_encryption_version: 0,
    keys: Object.fromEntries(versions.map((_, index) => [index + 1, 1_442_851_412])),
  };
}

/** Nonce, text and tag, as Vault has them. */
function encrypt({ versions }: TransitKey, plaintext: unknown): object {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", versions.at(-1) ?? Buffer.alloc(0), nonce);
  const text = Buffer.concat([cipher.update(Buffer.from(String(plaintext), "base64")), cipher.final()]);
  const bytes = Buffer.concat([nonce, text, cipher.getAuthTag()]);
  return {
    ciphertext: `vault:v${versions.length}:${bytes.toString("base64")}`,
    key_version: versions.length,
  };
}

function decrypt({ versions, minDecryption }: TransitKey, ciphertext: unknown): object {
  const [, version = "", content = ""] = /^vault:v(\d+):(.*)$/.exec(String(ciphertext)) ?? [];
  if (version === "") throw new Refusal(400, ["invalid ciphertext: no prefix"]);
  if (Number(version) > versions.length) throw new Refusal(400, ["invalid ciphertext: version is too new"]);
  if (Number(version) < minDecryption)
    throw new Refusal(400, ["ciphertext or signature version is disallowed by policy (too old)"]);
  const bytes = Buffer.from(content, "base64");
  if (bytes.length < 28) throw new Refusal(400, ["invalid ciphertext length"]);
  const key = versions[Number(version) - 1] ?? Buffer.alloc(0);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAuthTag(
      bytes.subarray(-16),
    );
    const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return { plaintext: text.toString("base64") };
  } catch {
    throw new Refusal(400, ["cipher: message authentication failed"]);
  }
}
