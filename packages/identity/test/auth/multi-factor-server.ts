/** A service with users under multi-factor rules, and their login methods. */
import type { TestDatabases } from "../databases.js";
import {
  asForwarded,
  AUTH,
  ENV,
  loginServer,
  NAMED,
  asserted,
  type LoginResponse,
  type LoginServer,
} from "../federation/login-server.js";

export const PASSWORD = "a-long-password";
export const BOTH = [["password", "mapped"]];

export interface Person {
  readonly id: string;
  readonly name: string;
}

/** Parts of a login in addition to its methods. */
export interface Sent {
  readonly receipt?: string;
  readonly scope?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly replica?: number;
}

export type MultiFactorServer = Awaited<ReturnType<typeof multiFactorServer>>;

/** Two replicas, a project, and a provider by which users are known. */
export async function multiFactorServer(databases: TestDatabases) {
  const service: LoginServer = await loginServer(databases, ENV, { replicas: 2 });
  await service.map([NAMED]);
  const project = await service.create("projects", { name: "p1", domain_id: "default" });
  const { body: found } = await service.ask("GET", "/v3/roles?name=member");
  const role = found.roles[0].id as string;
  let users = 0;

  const change = (id: string, user: object) => service.ask("PATCH", `/v3/users/${id}`, { body: { user } });
  const authenticate = (identity: object, { receipt, scope, headers, replica = 0 }: Sent = {}) =>
    service.ask("POST", "/v3/auth/tokens", {
      body: { auth: { identity, scope } },
      headers: { ...withReceipt(receipt), ...headers },
      replica,
    });

  return {
    service,
    project,
    newName: () => `user${(users += 1)}`,
    /** Adds a user with a password, a role in the project, and the same name at the provider. */
    async add(rules?: unknown, more: object = {}): Promise<Person> {
      const name = `user${(users += 1)}`;
      const federated = [{ idp_id: "idp", protocols: [{ protocol_id: "mapped", unique_id: name }] }];
      const options = rules === undefined ? {} : { multi_factor_auth_rules: rules };
      const attributes = { name, domain_id: "default", password: PASSWORD, federated, options, ...more };
      const id = await service.create("users", attributes);
      await service.ask("PUT", `/v3/projects/${project}/users/${id}/roles/${role}`);
      return { id, name };
    },
    change,
    setRules: (id: string, multi_factor_auth_rules: unknown) =>
      change(id, { options: { multi_factor_auth_rules } }),
    authenticate,
    byPassword: ({ id }: Person, sent: Sent & { readonly password?: string } = {}) =>
      authenticate(
        { methods: ["password"], password: { user: { id, password: sent.password ?? PASSWORD } } },
        sent,
      ),
    byToken: (id: string, sent: Sent = {}) => authenticate({ methods: ["token"], token: { id } }, sent),
    /** At the address of the protocol, or at another one. */
    atProvider: ({ name }: Pick<Person, "name">, { receipt, headers }: Sent = {}, url = AUTH) =>
      service.login(asserted(name), url, { headers: { ...withReceipt(receipt), ...headers } }),
    /** At `/v3/auth/tokens`, by what a front end forwards. */
    byMethod: ({ name }: Pick<Person, "name">, sent: Sent = {}, method = "mapped") =>
      authenticate(
        { methods: [method], [method]: { identity_provider: "idp", protocol: "mapped" } },
        { ...sent, headers: asForwarded(asserted(name)) },
      ),
    check: (subject: string) =>
      service.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject } }),
  };
}

function withReceipt(receipt: string | undefined): Record<string, string> {
  return receipt === undefined ? {} : { "openstack-auth-receipt": receipt };
}

export function receiptOf({ headers }: LoginResponse): string {
  const receipt = headers["openstack-auth-receipt"];
  return typeof receipt === "string" ? receipt : "";
}

/** The parts of a response without a token. */
export function seen(answer: LoginResponse) {
  const { receipt, required_auth_methods: required, error } = answer.body;
  const { status, token } = answer;
  const hasReceipt = receiptOf(answer).startsWith("gAAAA");
  return {
    status,
    token,
    hasReceipt,
    methods: receipt?.methods as unknown,
    required: required as unknown,
    error: error as unknown,
  };
}

/** The answer with a receipt for these methods. */
export function asks(methods: readonly string[], required: unknown = BOTH) {
  return { status: 401, token: "", hasReceipt: true, methods, required, error: undefined };
}

/** The general response without a reason. */
export const REFUSED = {
  status: 401,
  token: "",
  hasReceipt: false,
  methods: undefined,
  required: undefined,
  error: {
    code: 401,
    message: "The request you have made requires authentication.",
    title: "Unauthorized",
  },
};

/** Status and methods of an answer with a token. */
export function methodsOf({ status, body }: LoginResponse): [number, unknown] {
  return [status, body.token?.methods];
}
