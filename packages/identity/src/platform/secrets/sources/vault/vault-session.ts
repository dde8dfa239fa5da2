/**
 * The service's login at Vault: a token from a file, or one that Vault issues for a role. It is renewed after two thirds of its life, and
 * replaced by another login where it can't be renewed.
 */
import { readFileOfSetting } from "../../../readable-file.js";
import { KeySourceError } from "../key-wrapper.js";
import type { VaultClient, VaultRequest, VaultResponse } from "./vault-client.js";
import type { VaultSettings } from "./vault-options.js";

export interface VaultSession {
  /** Sends a request with a token; with another one, if Vault does not accept the first. @throws {KeySourceError} */
  send(request: VaultRequest): Promise<VaultResponse>;
  /** Until the token has to be renewed; infinite without a lease. */
  restMs(): number;
}

interface Lease {
  readonly token: string;
  /** On the monotonic clock. */
  readonly renewAt: number;
  readonly endsAt: number;
  readonly isRenewable: boolean;
}

const RENEWED_AT = 2 / 3;
/** Between attempts to renew. */
const RETRY_MS = 5000;

export function createVaultSession(client: VaultClient, settings: VaultSettings): VaultSession {
  const { auth } = settings;
  let lease: Lease | undefined;
  let opening: Promise<Lease> | undefined;

  /** One login, however many requests need it. */
  function open(): Promise<Lease> {
    opening ??= (auth === "token" ? fromFile() : logIn()).finally(() => (opening = undefined));
    return opening;
  }

  async function fromFile(): Promise<Lease> {
    const token = readSecret("tokenFile", settings.tokenFile);
    if (lease?.token === token) return lease;
    try {
      const { data } = await client.send({ method: "GET", path: "auth/token/lookup-self", token });
      return leaseOf(token, { lease_duration: data["ttl"], renewable: data["renewable"] });
    } catch (error) {
      // Policies may forbid to look it up.
      if (isDenied(error)) return leaseOf(token, {});
      throw error;
    }
  }

  async function logIn(): Promise<Lease> {
    const { role = "", authPath = auth } = settings;
    const body =
      auth === "approle"
        ? { role_id: role, secret_id: readSecret("secretIdFile", settings.secretIdFile) }
        : { role, jwt: readSecret("jwtFile", settings.jwtFile) };
    const { auth: given } = await client.send({ method: "POST", path: `auth/${authPath}/login`, body });
    const token = given["client_token"];
    if (typeof token !== "string" || token === "")
      throw new KeySourceError("master-key/source-refused", `${client.title}: the login returned no token`);
    return leaseOf(token, given);
  }

  async function renewed(due: Lease): Promise<Lease> {
    const { token, isRenewable } = due;
    try {
      if (isRenewable) {
        const request = { method: "POST", path: "auth/token/renew-self", token, body: {} } as const;
        return leaseOf(token, (await client.send(request)).auth);
      }
    } catch {
      // It has reached its longest life, or was revoked: another login.
    }
    if (auth !== "token") return logIn();
    // Whoever issued it has to write another into the file.
    return { ...due, renewAt: performance.now() + RETRY_MS };
  }

  async function current(): Promise<Lease> {
    const now = performance.now();
    // The file may have another token.
    if (lease === undefined || auth === "token" || now >= lease.endsAt) lease = await open();
    if (now >= lease.renewAt) lease = await renewed(lease);
    return lease;
  }

  return {
    async send(request) {
      const { token } = await current();
      try {
        return await client.send({ ...request, token });
      } catch (error) {
        if (!isDenied(error) || auth === "token") throw error;
        // Revoked, for example.
        lease = await open();
        return client.send({ ...request, token: lease.token });
      }
    },
    restMs: () => (lease === undefined ? Infinity : Math.max(0, lease.renewAt - performance.now())),
  };
}

/** A token without a lease never expires. */
function leaseOf(token: string, given: Readonly<Record<string, unknown>>): Lease {
  const seconds = Number(given["lease_duration"] ?? 0);
  const ms = seconds > 0 ? seconds * 1000 : Infinity;
  const now = performance.now();
  return {
    token,
    renewAt: now + ms * RENEWED_AT,
    endsAt: now + ms,
    isRenewable: given["renewable"] === true,
  };
}

function isDenied(error: unknown): boolean {
  return error instanceof KeySourceError && error.status === 403;
}

/** Files are written by agents, and may be missing for a moment. */
function readSecret(key: "tokenFile" | "secretIdFile" | "jwtFile", file = ""): string {
  try {
    return readFileOfSetting(file).trim();
  } catch (error) {
    const names = {
      tokenFile: "IDENTITY_VAULT_TOKEN_FILE",
      secretIdFile: "IDENTITY_VAULT_SECRET_ID_FILE",
      jwtFile: "IDENTITY_VAULT_JWT_FILE",
    };
    const reason = `${names[key]}: "${file}" ${(error as Error).message}`;
    throw new KeySourceError("master-key/source-unavailable", reason, { cause: error });
  }
}
