/** keystone.conf, in the format of oslo.config. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../../identity/src/config.js";
import { POLICY_SETTINGS } from "../../src/import/conf/keystone-policy.js";
import { COUNTERPARTS } from "../../src/import/conf/option-counterparts.js";
import { readKeystoneConf } from "../../src/import/keystone-conf.js";

const GUIDE = fileURLToPath(new URL("../../../../docs/identity/moving-from-keystone.md", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(content: string) {
  const path = join(folder, "keystone.conf");
  await writeFile(path, content);
  return readKeystoneConf(path);
}

const settingsOf = ({ settings }: Awaited<ReturnType<typeof read>>) =>
  Object.fromEntries(settings.map(({ setting, value }) => [setting, value]));

describe("keystone.conf", () => {
  it.each([
    ["", false],
    ["domain_specific_drivers_enabled = true", false],
    ["domain_configurations_from_database = true", false],
    ["domain_specific_drivers_enabled = True\ndomain_configurations_from_database = 1", true],
    ["domain_specific_drivers_enabled = false\ndomain_configurations_from_database = true", false],
  ])("reads drivers of domains in the database only with both flags: %j", async (lines, expected) => {
    expect((await read(`[identity]\n${lines}\n`)).usesDomainDrivers).toBe(expected);
  });

  it("has Keystone's defaults where it is empty", async () => {
    expect(await read("")).toEqual({
      authMethods: ["external", "password", "token", "oauth1", "mapped", "application_credential"],
      tokenExpirationSeconds: 3600,
      usesDomainDrivers: false,
      hasFernetTokens: true,
      fernetKeys: "/etc/keystone/fernet-keys/",
      credentialKeys: "/etc/keystone/credential-keys/",
      defaultAuthorizationTtlMinutes: 0,
      databaseUrl: undefined,
      settings: [],
      unsupported: [],
    });
  });

  it("is read as oslo.config reads it: comments, both signs, continued lines, quotes, substitution", async () => {
    const conf = await read(`
# A comment
[DEFAULT]
; another comment
base = /srv/keys
public_endpoint = "https://id.example.org:5000/"
[auth]
methods: password,token,
    application_credential ,
    mapped
[fernet_tokens]
key_repository = $base/fernet
[credential]
key_repository = \${DEFAULT.base}/credential
[token]
expiration = 600
expiration = 86400
[security_compliance]
password_regex = ^(?=.*\\d).{7,}$$
`);
    expect(conf).toMatchObject({
      authMethods: ["password", "token", "application_credential", "mapped"],
      tokenExpirationSeconds: 86400,
      fernetKeys: "/srv/keys/fernet",
      credentialKeys: "/srv/keys/credential",
    });
    expect(settingsOf(conf)).toEqual({
      IDENTITY_PUBLIC_URL: "https://id.example.org:5000/",
      IDENTITY_TOKEN_LIFETIME: "86400",
      IDENTITY_PASSWORD_REGEX: "^(?=.*\\d).{7,}$",
    });
  });

  it("becomes settings that this service accepts", async () => {
    const conf = await read(`
[DEFAULT]
list_limit = 100
max_project_tree_depth = 7
[token]
allow_expired_window = 3600
[receipt]
expiration = 200
[credential]
user_limit = 5
auth_ttl = 15
[application_credential]
user_limit = -1
[trust]
allow_redelegation = True
max_redelegation_count = 4
[unified_limit]
enforcement_model = strict_two_level
[federation]
remote_id_attribute = MELLON_IDP
trusted_dashboard = https://one.example.org/auth/websso/
trusted_dashboard = https://two.example.org/auth/websso/
[security_compliance]
lockout_failure_attempts = 3
lockout_duration = 600
password_expires_days = 90
unique_last_password_count = 5
minimum_password_age = 1
disable_user_account_days_inactive = 30
change_password_upon_first_use = true
password_regex_description = seven letters
[identity]
password_hash_algorithm = scrypt
[saml]
idp_entity_id = https://id.example.org/idp
`);
    const settings = settingsOf(conf);
    expect(settings).toEqual({
      IDENTITY_LIST_LIMIT: "100",
      IDENTITY_MAX_PROJECT_TREE_DEPTH: "7",
      IDENTITY_EXPIRED_TOKEN_WINDOW: "3600",
      IDENTITY_RECEIPT_LIFETIME: "200",
      IDENTITY_CREDENTIAL_LIMIT: "5",
      IDENTITY_SIGNATURE_LIFETIME: "900",
      IDENTITY_ALLOW_REDELEGATION: "on",
      IDENTITY_MAX_REDELEGATION_COUNT: "4",
      IDENTITY_ENFORCEMENT_MODEL: "strict_two_level",
      IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
      IDENTITY_TRUSTED_DASHBOARDS:
        "https://one.example.org/auth/websso/,https://two.example.org/auth/websso/",
      IDENTITY_LOCKOUT_ATTEMPTS: "3",
      IDENTITY_LOCKOUT_SECONDS: "600",
      IDENTITY_PASSWORD_EXPIRES_DAYS: "90",
      IDENTITY_PASSWORD_HISTORY: "5",
      IDENTITY_PASSWORD_MINIMUM_AGE_DAYS: "1",
      IDENTITY_INACTIVE_DAYS: "30",
      IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: "on",
      IDENTITY_PASSWORD_REGEX_DESCRIPTION: "seven letters",
      IDENTITY_PASSWORD_HASH: "scrypt",
      IDENTITY_SAML_ENTITY_ID: "https://id.example.org/idp",
    });
    expect(conf.unsupported).toEqual([]);
    expect(readConfig(settings)).toMatchObject({ password: { lockoutAttempts: 3, hash: "scrypt" } });
  });

  it("reports what has no counterpart, and never a value that may be a secret", async () => {
    await writeFile(join(folder, "policy.yaml"), "");
    const conf = await read(`
[DEFAULT]
transport_url = rabbit://user:hidden@mq
admin_token = hidden
[token]
provider = jws
expiration = 315360000
[identity]
driver = ldap
password_hash_algorithm = pbkdf2_sha512
[oslo_messaging_notifications]
driver = messagingv2
[trust]
enabled = true
[ldap]
url = ldaps://ldap.example.org
password = hidden
user_tree_dn = ou=People,dc=example,dc=org
group_members_are_ids = True
`);
    expect(conf.hasFernetTokens).toBe(false);
    expect(conf.unsupported.map(({ option }) => option)).toEqual([
      "[token] expiration",
      "[identity] password_hash_algorithm",
      "[token] provider",
      "[identity] driver",
      "[ldap] password",
      "[DEFAULT] transport_url",
      "[oslo_messaging_notifications] driver",
      "[DEFAULT] admin_token",
    ]);
    expect(conf.unsupported[0]?.reason).toBe(
      '"315360000" is not accepted by IDENTITY_TOKEN_LIFETIME: expected a whole number from 60 to 31536000',
    );
    expect(JSON.stringify(conf)).not.toContain("hidden");
    expect(conf.settings.map(({ setting, value }) => `${setting}=${value}`)).toEqual([
      "IDENTITY_DRIVER=ldap",
      "IDENTITY_LDAP_URL=ldaps://ldap.example.org",
      "IDENTITY_LDAP_USER_TREE_DN=ou=People,dc=example,dc=org",
      "IDENTITY_LDAP_GROUP_MEMBERS_ARE_IDS=True",
      `IDENTITY_POLICY_FILE=${join(folder, "policy.yaml")}`,
    ]);
  });

  it("takes policy files, and reports what of them is refused", async () => {
    await mkdir(join(folder, "rules.d"));
    await writeFile(join(folder, "cloud.yaml"), '"identity:list_users": "role:auditor"\n');
    await writeFile(join(folder, "rules.d", "a.yaml"), '\n"identity:list_roles": no\n');
    const conf = await read(
      "[oslo_policy]\npolicy_file = cloud.yaml\npolicy_dirs = rules.d\nenforce_scope = false\nenforce_new_defaults = true\n",
    );
    expect(conf.settings.map(({ setting, value }) => `${setting}=${value}`)).toEqual([
      "IDENTITY_POLICY_ENFORCE_SCOPE=off",
      "IDENTITY_POLICY_ENFORCE_NEW_DEFAULTS=on",
      `IDENTITY_POLICY_FILE=${join(folder, "cloud.yaml")}`,
      `IDENTITY_POLICY_DIRS=${join(folder, "rules.d")}`,
    ]);
    expect(conf.unsupported).toEqual([
      {
        option: `${join(folder, "rules.d", "a.yaml")}:2 identity:list_roles`,
        reason: '"no" is no check, expected one such as role:admin',
      },
    ]);
  });

  it("reports a policy file that it names and that is missing", async () => {
    const conf = await read("[oslo_policy]\npolicy_file = missing.yaml\n");
    expect(conf.unsupported.map(({ option }) => option)).toEqual(["[oslo_policy] policy_file"]);
  });

  it.each([
    [
      "mysql+pymysql://keystone:pw%40@db:3306/keystone?charset=utf8",
      "mysql://keystone:pw%40@db:3306/keystone",
    ],
    ["postgresql+psycopg2://keystone@db/keystone", "postgres://keystone@db/keystone"],
    ["sqlite:////var/lib/keystone.db", undefined],
  ])("names the database: %s", async (connection, expected) => {
    expect((await read(`[database]\nconnection = ${connection}\n`)).databaseUrl).toBe(expected);
  });

  it.each([
    ["no sign\n", "line 1: expected `name = value`"],
    ["[token\n", "line 1: expected a group in brackets"],
    ["\n  indented = 1\n", "line 2: an indented line continues no option"],
    ["[token]\nexpiration = an hour\n", '[token] expiration: "an hour" is not a whole number'],
  ])("is rejected with the place of the fault: %j", async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it("becomes the settings that the guide names", async () => {
    const guide = await readFile(GUIDE, "utf8");
    const rows = guide.split("\n").filter((line) => line.startsWith("| `["));
    // Of [ldap], the guide names the rule: they have the same names.
    expect(guide).toMatch(/\| `\[ldap\] \.\.\.` +\| the same names.*IDENTITY_LDAP_USER_TREE_DN/);
    const ldap = COUNTERPARTS.filter(({ group }) => group === "ldap");
    expect(ldap.map(({ name }) => name)).toContain("user_enabled_emulation_use_group_config");
    for (const { name, setting } of ldap) expect(setting).toBe(`IDENTITY_LDAP_${name.toUpperCase()}`);
    const missing = COUNTERPARTS.filter(({ group }) => group !== "ldap").filter(
      ({ group, name, setting }) =>
        !rows.some((row) => row.includes(`\`[${group}] ${name}\``) && row.includes(`\`${setting}\``)),
    );
    expect(missing.map(({ group, name }) => `[${group}] ${name}`)).toEqual([]);
  });

  it("becomes every setting that the guide names for an option", async () => {
    const guide = await readFile(GUIDE, "utf8");
    const named = Array.from(guide.matchAll(/^\| `\[.*?\| (?!none)(.*)$/gm), ([, cell = ""]) =>
      Array.from(cell.matchAll(/IDENTITY_\w+/g), ([setting]) => setting),
    ).flat();
    expect(named).toContain("IDENTITY_RETURN_ALL_ENDPOINTS");
    const known = new Set<string>([
      ...COUNTERPARTS.map(({ setting }) => setting),
      ...Object.values(POLICY_SETTINGS),
    ]);
    expect(named.filter((setting) => !known.has(setting))).toEqual([]);
  });

  it("must be readable", () => {
    const missing = join(folder, "missing.conf");
    expect(() => readKeystoneConf(missing)).toThrow(`${missing} can't be read`);
  });

  it("ends the substitution of options that name themselves", async () => {
    const conf = await read(
      "[DEFAULT]\none = $two\ntwo = $one\n[fernet_tokens]\nkey_repository = $one/keys\n",
    );
    expect(conf.fernetKeys).toMatch(/^\$(?:one|two)\/keys$/);
  });
});
