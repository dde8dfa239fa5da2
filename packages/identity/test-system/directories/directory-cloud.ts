/** The service with a domain whose users are in a directory. */
import type { TestDatabases } from "../../test/databases.js";
import { ADMIN_PASSWORD, testReplicas } from "../../test/test-app.js";
import { SERVICE_DN, SERVICE_PASSWORD, startSlapd, type SlapdServer } from "./slapd-server.js";

/** An id of the test's own, so that public ids are known. */
export const DOMAIN = "0000000000000000000000000000d001";

export interface Reply {
  readonly status: number;
  // Bodies of many kinds, of which tests read what they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly token: string;
  readonly ms: number;
}

export interface AskOptions {
  /** The administrator's, if left out; none, if empty. */
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of the replica. */
  readonly at?: number;
}

export type DirectoryCloud = Awaited<ReturnType<typeof directoryCloud>>;

export interface CloudOptions {
  readonly ldif: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

/** The configuration of a domain in a directory of the tests. */
export function configOf({ url }: Pick<SlapdServer, "url">, ldap: Readonly<Record<string, unknown>> = {}) {
  return {
    identity: { driver: "ldap" },
    ldap: {
      url,
      user: SERVICE_DN,
      password: SERVICE_PASSWORD,
      suffix: "dc=test",
      query_scope: "sub",
      user_tree_dn: "ou=People,dc=test",
      user_id_attribute: "uid",
      user_name_attribute: "uid",
      user_filter: "(!(employeeType=robot))",
      group_tree_dn: "ou=Groups,dc=test",
      group_name_attribute: "cn",
      ...ldap,
    },
  };
}

export async function directoryCloud(
  databases: TestDatabases,
  { ldif, env = {}, replicas = 1 }: CloudOptions,
) {
  const slapd = await startSlapd(ldif);
  const service = await testReplicas(databases, replicas, {
    env: { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on", IDENTITY_LDAP_RECHECK: "0", ...env },
  });
  let admin = "";

  async function ask(method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    const { token = admin, body, headers = {}, at = 0 } = options;
    const start = performance.now();
    const response = await service.apps[at]?.server.inject({
      method: method as "GET",
      url: `/v3${path}`,
      headers: { ...headers, ...(token !== "" && { "x-auth-token": token }) },
      ...(body !== undefined && { payload: body as object }),
    });
    if (response === undefined) throw new Error(`no replica ${at}`);
    return {
      status: response.statusCode,
      body: response.body === "" ? undefined : JSON.parse(response.body),
      token: String(response.headers["x-subject-token"] ?? ""),
      ms: performance.now() - start,
    };
  }

  const logIn = (user: object, password: string, { scope, at = 0 }: { scope?: object; at?: number } = {}) =>
    ask("POST", "/auth/tokens", {
      token: "",
      at,
      body: {
        auth: {
          identity: { methods: ["password"], password: { user: { ...user, password } } },
          ...(scope && { scope }),
        },
      },
    });

  const project = { name: "admin", domain: { id: "default" } };
  admin = (await logIn({ name: "admin", domain: { id: "default" } }, ADMIN_PASSWORD, { scope: { project } }))
    .token;
  await ask("POST", "/domains", { body: { domain: { name: "corp", explicit_domain_id: DOMAIN } } });

  return {
    slapd,
    ask,
    logIn,
    metrics: async () => (await service.apps[0]?.server.inject("/metrics"))?.body ?? "",
    /** Logs in a user of the domain by name. */
    enter: (name: string, password = `pw-${name}`, options: { scope?: object; at?: number } = {}) =>
      logIn({ name, domain: { id: DOMAIN } }, password, options),
    configure: (ldap: Readonly<Record<string, unknown>> = {}) =>
      ask("PUT", `/domains/${DOMAIN}/config`, { body: { config: configOf(slapd, ldap) } }),
    validate: (token: string, at = 0) =>
      ask("GET", "/auth/tokens", { headers: { "x-subject-token": token }, at }),
    async close() {
      await service.remove();
      await slapd.remove();
    },
  };
}

/** An entry of a person, whose password is `pw-UID`. */
export function person(uid: string, attributes = ""): string {
  const dn = `uid=${uid.replaceAll(/[,+"\\<>;=#]/g, String.raw`\$&`)},ou=People,dc=test`;
  const text = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString("base64")}`;
  return [
    text("dn", dn),
    "objectClass: inetOrgPerson",
    text("uid", uid),
    text("cn", uid),
    text("sn", uid),
    text("userPassword", `pw-${uid}`),
    ...(attributes === "" ? [] : [attributes]),
    "",
    "",
  ].join("\n");
}

/** An entry of a group with these members, by DN. */
export function group(cn: string, members: readonly string[], attributes = ""): string {
  return [
    `dn: cn=${cn},ou=Groups,dc=test`,
    "objectClass: groupOfNames",
    `cn: ${cn}`,
    ...members.map((member) => `member: ${member}`),
    ...(attributes === "" ? [] : [attributes]),
    "",
    "",
  ].join("\n");
}

export const UNITS = `dn: ou=People,dc=test
objectClass: organizationalUnit
ou: People

dn: ou=Groups,dc=test
objectClass: organizationalUnit
ou: Groups

`;
