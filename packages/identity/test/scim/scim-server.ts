/** The whole service with identity providers that push users and groups, and log them in. */
import type { TestDatabases } from "../databases.js";
import {
  asserted,
  ENV,
  loginServer,
  type LoginResponse,
  type LoginServer,
} from "../federation/login-server.js";

export interface ScimResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface PushOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** That of the provider if left out; none if `null`. */
  readonly secret?: string | null;
  readonly provider?: string;
  readonly replica?: number;
  readonly address?: string;
}

export interface ScimServer extends LoginServer {
  /** The SCIM secret of the provider `idp`. */
  readonly secret: string;
  /** As the SCIM client of a provider. @param path Below the provider's base URL. */
  push(method: string, path: string, body?: unknown, options?: PushOptions): Promise<ScimResponse>;
  /** A further provider, in a domain of its own if none is named. @returns Its secret. */
  addProvider(id: string, more?: object): Promise<string>;
  createSecret(idpId: string, more?: object): Promise<{ readonly id: string; readonly secret: string }>;
  /** Pushes a user. @returns Its id. */
  pushUser(userName: string, more?: object): Promise<string>;
  /** Pushes a group. @returns Its id. */
  pushGroup(displayName: string, memberIds?: readonly string[]): Promise<string>;
  logIn(name: string, options?: { readonly replica?: number }): Promise<LoginResponse>;
  /** Whether a token is valid. */
  isValid(token: string, replica?: number): Promise<boolean>;
}

export interface ScimServerOptions {
  readonly env?: Record<string, string>;
  readonly replicas?: number;
  readonly uniqueId?: "userName" | "externalId";
}

const PROVIDERS = "/v3/OS-FEDERATION/identity_providers";

export async function scimServer(
  databases: TestDatabases,
  { env = {}, replicas = 1, uniqueId = "userName" }: ScimServerOptions = {},
): Promise<ScimServer> {
  const service = await loginServer(databases, { ...ENV, ...env }, { replicas });
  const secrets = new Map<string, string>();

  async function createSecret(idpId: string, more: object = {}) {
    const { body, text } = await service.ask("POST", `${PROVIDERS}/${idpId}/scim_secrets`, {
      body: { scim_secret: more },
    });
    if (body?.scim_secret === undefined) throw new Error(text);
    return body.scim_secret as { readonly id: string; readonly secret: string };
  }

  const push: ScimServer["push"] = async (method, path, body, options = {}) => {
    const { headers, provider = "idp", replica, address } = options;
    const secret = options.secret === undefined ? secrets.get(provider) : options.secret;
    const answer = await service.ask(method, `/scim/v2/${provider}${path}`, {
      headers: {
        ...(secret !== null && secret !== undefined && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: body as object }),
      ...(replica !== undefined && { replica }),
      ...(address !== undefined && { address }),
    });
    const parsed = answer.text === "" ? undefined : (JSON.parse(answer.text) as unknown);
    return { status: answer.status, headers: answer.headers, body: parsed };
  };

  async function idOf(path: string, body: object): Promise<string> {
    const { status, body: made } = await push("POST", path, body);
    if (status !== 201) throw new Error(JSON.stringify(made));
    return made.id as string;
  }

  const change = { identity_provider: { scim_unique_id: uniqueId } };
  await service.ask("PATCH", `${PROVIDERS}/idp`, { body: change });
  const { secret } = await createSecret("idp");
  secrets.set("idp", secret);

  return {
    ...service,
    secret,
    push,
    createSecret,
    async addProvider(id, more = {}) {
      const provider = { enabled: true, scim_unique_id: uniqueId, ...more };
      const { status, text } = await service.ask("PUT", `${PROVIDERS}/${id}`, {
        body: { identity_provider: provider },
      });
      if (status !== 201) throw new Error(text);
      const made = await createSecret(id);
      secrets.set(id, made.secret);
      return made.secret;
    },
    pushUser: (userName, more = {}) => idOf("/Users", { schemas: [USER], userName, ...more }),
    pushGroup: (displayName, memberIds = []) =>
      idOf("/Groups", {
        schemas: [GROUP],
        displayName,
        members: memberIds.map((value) => ({ value })),
      }),
    logIn: (name, options = {}) => service.login(asserted(name), undefined, options),
    async isValid(token, replica = 0) {
      const headers = { "x-subject-token": token };
      return (await service.ask("GET", "/v3/auth/tokens", { headers, replica })).status === 200;
    },
  };
}

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
export const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
export const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** The body of a PATCH. */
export const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
