/**
 * Requests to the HTTP API of Vault or OpenBao, with limits on time and repetitions.
 *
 * Errors have the text of Vault, which quotes no secrets; those of this process are removed from it all the same.
 *
 * @see https://developer.hashicorp.com/vault/api-docs: statuses; 412, 472 and 473 are of nodes that can't answer yet.
 */
import { setTimeout as delay } from "node:timers/promises";

import { messageOf } from "../../../errors.js";
import { createOutgoingFetch, OutgoingRequestError } from "../../../outgoing/outgoing-requests.js";
import { readFileOfSetting } from "../../../readable-file.js";
import { KeySourceError } from "../key-wrapper.js";
import type { VaultSettings } from "./vault-options.js";

export interface VaultRequest {
  readonly method: "GET" | "POST";
  /** Behind `/v1/`. */
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: Readonly<Record<string, string>>;
}

/** Members of a response: `data` of engines, `auth` of logins. */
export type VaultResponse = Readonly<Record<"data" | "auth", Readonly<Record<string, unknown>>>>;

export interface VaultClient {
  readonly title: string;
  /** @throws {KeySourceError} */
  send(request: VaultRequest): Promise<VaultResponse>;
}

/** Pauses before the second and the third attempt. */
const PAUSES_MS = [200, 500];
/** No attempt begins later: with the time limit of each, a request takes at most 10 s. */
const LAST_START_MS = 5000;
const MAX_REASON = 300;
const TOO_EARLY = new Set([412, 429, 472, 473]);

/** @throws {KeySourceError} The file with authorities can't be read. */
export function createVaultClient(settings: VaultSettings & { readonly url: string }): VaultClient {
  const { url, caFile, namespace } = settings;
  const title = `Vault at ${url}`;
  const fetch = createOutgoingFetch({
    allowsHttp: url.startsWith("http:"),
    allowsPrivate: () => true,
    authorities: caFile === undefined ? undefined : [readAuthorities(caFile)],
  });
  const headers = {
    "content-type": "application/json",
    "x-vault-request": "true",
    ...(namespace !== undefined && { "x-vault-namespace": namespace }),
  };

  async function sendOnce({ method, path, token, body }: VaultRequest): Promise<VaultResponse> {
    const request = {
      method,
      headers: { ...headers, ...(token !== undefined && { "x-vault-token": token }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    let response: Response;
    try {
      response = await fetch(`${url}/v1/${path}`, request);
      // A standby that does not forward names the active node.
      const location = response.status === 307 ? response.headers.get("location") : null;
      if (location !== null) response = await fetch(new URL(location, url).href, request);
    } catch (error) {
      throw unreachable(title, error);
    }
    const parsed = parse(await response.text());
    if (response.ok) return { data: asObject(parsed["data"]), auth: asObject(parsed["auth"]) };
    throw refusal(title, response.status, reasonOf(parsed["errors"], [token, ...Object.values(body ?? {})]));
  }

  return {
    title,
    async send(request) {
      const begin = performance.now();
      for (let attempt = 0; ; attempt++)
        try {
          return await sendOnce(request);
        } catch (error) {
          const pause = PAUSES_MS[attempt];
          const isLate = pause === undefined || performance.now() - begin + pause > LAST_START_MS;
          if (isLate || !isWorthRepeating(error)) throw error;
          await delay(pause);
        }
    },
  };
}

function readAuthorities(file: string): string {
  try {
    return readFileOfSetting(file);
  } catch (error) {
    const reason = `IDENTITY_VAULT_CA_FILE: "${file}" ${(error as Error).message}`;
    throw new KeySourceError("master-key/source-unavailable", reason, { cause: error });
  }
}

function unreachable(title: string, cause: unknown): KeySourceError {
  // The words of providers' settings.
  const reason = messageOf(cause).replace("ca_certificates", "IDENTITY_VAULT_CA_FILE");
  const text = cause instanceof OutgoingRequestError ? reason.replace(/^request to [^ ]+: /, "") : reason;
  return new KeySourceError("master-key/source-unavailable", `${title}: ${text}`, { cause });
}

/** A login may be permitted, and a node may be unsealed; a request that is wrong stays so. */
function refusal(title: string, status: number, reason: string): KeySourceError {
  const isLasting = status < 500 && status !== 403 && !TOO_EARLY.has(status);
  const code = isLasting ? "master-key/source-refused" : "master-key/source-unavailable";
  return new KeySourceError(
    code,
    `${title}: ${reason === "" ? "no reason given" : reason} (status ${status})`,
    {
      status,
    },
  );
}

function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof KeySourceError) || error.code !== "master-key/source-unavailable") return false;
  const { status } = error;
  return status === undefined || status >= 500 || TOO_EARLY.has(status);
}

function reasonOf(errors: unknown, secrets: readonly (string | undefined)[]): string {
  if (!Array.isArray(errors)) return "";
  let text = errors.join("; ").replaceAll(/\s+/g, " ").trim();
  for (const secret of secrets)
    if (secret !== undefined && secret !== "") text = text.replaceAll(secret, "***");
  return text.slice(0, MAX_REASON);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    // A proxy in front of it, or no Vault at all.
    return {};
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
