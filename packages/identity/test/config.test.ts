import { describe, expect, it } from "vitest";

import { ConfigError, describeOptions, readConfig, unknownOptions } from "../src/config.js";

const HOME = { HOME: "/home/ada" };

function faultOf(env: Record<string, string>, content?: string): string {
  try {
    readConfig({ ...HOME, ...env }, content === undefined ? undefined : { path: "id.toml", content });
    return "none";
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
}

describe("the settings", () => {
  it("are complete by default, and immutable", () => {
    const config = readConfig(HOME);
    const { defaultDirectory: _, ...others } = config;
    expect(others).toEqual({
      database: {
        url: "sqlite:/home/ada/.local/share/hamkit-identity/identity.db",
        connections: 10,
        connectTimeoutSeconds: 3,
        idleTimeoutSeconds: 10,
        statementTimeoutSeconds: 30,
        lockTimeoutSeconds: 3,
        idleInTransactionTimeoutSeconds: 30,
        standbys: undefined,
        standbyLagMs: 1000,
      },
      server: {
        host: "127.0.0.1",
        port: 5000,
        publicUrl: undefined,
        defaultPageSize: undefined,
        workers: 1,
        isTrustedProxy: expect.any(Function) as unknown,
        corsOrigins: [],
        bodyLimit: 114_688,
        tlsCertFile: undefined,
        tlsKeyFile: undefined,
        shutdownDelaySeconds: 5,
      },
      log: {
        level: "info",
        requiresAudit: false,
      },
      tracing: { url: undefined, percent: 1 },
      metrics: {
        isServed: true,
        port: undefined,
        url: undefined,
        everySeconds: 60,
      },
      events: {
        optOut: ["identity.authenticate.success", "identity.authenticate.pending"],
        days: 7,
        maxRows: 1_000_000,
        format: "cadf",
        exchange: "keystone",
        topics: ["notifications"],
        hasDurableQueues: false,
        hasAutoDelete: false,
        isWebhookNetwork: expect.any(Function) as unknown,
      },
      secrets: {
        adminPassword: undefined,
        masterKey: undefined,
        masterKeyFile: "/home/ada/.local/share/hamkit-identity/master.key",
        masterKeySource: "file",
      },
      vault: {
        auth: "token",
        authPath: undefined,
        caFile: undefined,
        jwtFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
        key: "hamkit-identity",
        namespace: undefined,
        role: undefined,
        secretIdFile: undefined,
        tokenFile: undefined,
        transitPath: "transit",
        url: undefined,
      },
      pkcs11: {
        key: "hamkit-identity",
        module: undefined,
        pin: undefined,
        pinFile: undefined,
        slot: undefined,
        tokenLabel: undefined,
      },
      token: {
        lifetimeSeconds: 3600,
        expiredWindowSeconds: 172_800,
        receiptLifetimeSeconds: 300,
        keyRotationDays: 30,
      },
      password: {
        hash: "argon2id",
        regex: undefined,
        regexDescription: undefined,
        expiresDays: undefined,
        minimumAgeDays: 0,
        history: 0,
        lockoutAttempts: undefined,
        lockoutSeconds: 1800,
        inactiveDays: undefined,
        changeUponFirstUse: false,
      },
      passkey: {
        origins: [],
      },
      failedLogins: {
        isLimited: true,
        failures: 10,
        windowSeconds: 900,
        accountFailures: 300,
        accountWindowSeconds: 3600,
        networkFailures: 100,
        networkWindowSeconds: 300,
        knownFailures: 10,
        knownWindowSeconds: 900,
        knownDays: 30,
        providerFailures: 100,
        providerWindowSeconds: 20,
        isDashboard: expect.any(Function) as unknown,
        waitSeconds: 20,
        maxWaiting: 1024,
      },
      credential: {
        allowsCrossDomain: false,
        signatureLifetimeSeconds: 900,
        certificateMapping: "oauth2_mapping",
      },
      trust: {
        allowsRedelegation: false,
        maxRedelegationCount: 3,
      },
      directory: {
        hasDomainDrivers: false,
        recheckSeconds: 60,
      },
      project: {
        maxTreeDepth: 5,
      },
      catalog: {
        returnsAllEndpoints: true,
      },
      limit: {
        enforcementModel: "flat",
      },
      federation: {
        recordsLogins: false,
        allowsHttpIssuers: false,
        isProviderNetwork: expect.any(Function) as unknown,
        forwardedAssertionHeader: undefined,
        forwardedAssertionSecret: undefined,
        isAssertionForwarder: undefined,
        remoteIdAttribute: undefined,
        trustedDashboards: [],
      },
      policy: { folders: [], release: "2026", enforcesScope: true, enforcesNewDefaults: true },
      scim: {
        secretDays: 365,
      },
      saml: {
        assertionSeconds: 3600,
        contactType: "other",
      },
      console: {
        isServed: true,
        cloudName: "Identity",
        logo: undefined,
        contact: undefined,
        auditTrailDays: 0,
        auditTrailEvents: 100_000,
      },
    });
    expect([config, ...Object.values(config)].every((group) => Object.isFrozen(group))).toBe(true);
    expect(config.server.isTrustedProxy("127.0.0.1")).toBe(false);
  });

  // Keystone's conf/ldap.py.
  it("of the default directory have Keystone's names and defaults", () => {
    const { defaultDirectory } = readConfig(HOME);
    expect(defaultDirectory).toMatchObject({
      driver: "sql",
      url: "ldap://localhost",
      suffix: "cn=example,cn=com",
      query_scope: "one",
      user_objectclass: "inetOrgPerson",
      user_id_attribute: "cn",
      user_name_attribute: "sn",
      user_enabled_default: "True",
      user_attribute_ignore: "default_project_id",
      group_member_attribute: "member",
      group_ad_nesting: "off",
      tls_req_cert: "demand",
      use_pool: "on",
      pool_connection_lifetime: "600",
    });
    expect(defaultDirectory.user).toBeUndefined();
  });

  it.each([
    ["IDENTITY_LDAP_URL", "http://ldap", 'IDENTITY_LDAP_URL: "http://ldap" is not a list of URLs'],
    ["IDENTITY_LDAP_PAGE_SIZE", "many", '"many" is not a whole number from 0'],
    ["IDENTITY_LDAP_USER_FILTER", "uid=*", '"uid=*" is not an LDAP filter in brackets'],
    ["IDENTITY_LDAP_QUERY_SCOPE", "deep", "is not one of one, sub"],
    ["IDENTITY_LDAP_USE_TLS", "maybe", "is not on or off"],
    ["IDENTITY_DRIVER", "kvs", '"kvs" is not one of sql, ldap'],
  ])("of the default directory end the start where %s is %s", (name, value, fault) => {
    expect(faultOf({ [name]: value })).toContain(fault);
  });

  it("come from the environment before the file", () => {
    const content = `port = 7000\nrate_limit = false\ntrusted_proxies = ["10.0.0.0/8", "::1"]\nlist_limit = 9`;
    const env = {
      ...HOME,
      IDENTITY_PORT: "8000",
      IDENTITY_LIST_LIMIT: "",
      IDENTITY_PUBLIC_URL: "https://id.example/x/",
    };
    const config = readConfig(env, { path: "id.toml", content });
    expect(["10.1.2.3", "::1", "11.0.0.1"].map(config.server.isTrustedProxy)).toEqual([true, true, false]);
    expect(config).toMatchObject({
      server: { port: 8000, defaultPageSize: 9, publicUrl: "https://id.example/x" },
      failedLogins: { isLimited: false },
    });
  });

  it.each([
    [
      { IDENTITY_KEY_ROTATION_DAYS: "2" },
      'IDENTITY_KEY_ROTATION_DAYS: "2" days are less than the 176400 seconds of IDENTITY_TOKEN_LIFETIME + IDENTITY_EXPIRED_TOKEN_WINDOW: tokens would outlive their key',
    ],
    [{ IDENTITY_PORT: "70000" }, 'IDENTITY_PORT: "70000" is not a whole number from 0 to 65535'],
    [{ IDENTITY_PORT: "0x10" }, 'IDENTITY_PORT: "0x10" is not a whole number from 0 to 65535'],
    [
      { IDENTITY_PASSKEY_RP_ID: "example.org", IDENTITY_PUBLIC_URL: "https://id.example.net" },
      "IDENTITY_PASSKEY_RP_ID: https://id.example.net is not within the domain example.org of passkeys",
    ],
    [
      { IDENTITY_PASSKEY_ORIGINS: "http://id.example.org" },
      "IDENTITY_PASSKEY_ORIGINS: Passkeys need HTTPS, except at localhost: http://id.example.org",
    ],
    [{ IDENTITY_RATE_LIMIT: "no" }, 'IDENTITY_RATE_LIMIT: "no" is not on or off'],
    [
      { IDENTITY_LOGIN_ACCOUNT_FAILURES: "9" },
      'IDENTITY_LOGIN_ACCOUNT_FAILURES: "9" is below the 10 of IDENTITY_LOGIN_FAILURES: one network could lock an account',
    ],
    [
      { IDENTITY_PUBLIC_URL: "id.example.com" },
      'IDENTITY_PUBLIC_URL: "id.example.com" is not a URL that begins with http:// or https://, without user, query and fragment',
    ],
    [
      { IDENTITY_TRUSTED_PROXIES: "10.0.0.0/33" },
      'IDENTITY_TRUSTED_PROXIES: "10.0.0.0/33" is not a list of addresses and networks such as 127.0.0.1,10.0.0.0/8',
    ],
    [
      { IDENTITY_CORS_ORIGINS: "https://a.example *" },
      'IDENTITY_CORS_ORIGINS: "https://a.example *" is not a list of origins such as https://console.example.org,http://localhost:5173',
    ],
    [
      { IDENTITY_CORS_ORIGINS: "https://a.example/" },
      'IDENTITY_CORS_ORIGINS: "https://a.example/" is not a list of origins such as https://console.example.org,http://localhost:5173',
    ],
    [
      { IDENTITY_DATABASE_URL: "mysql://root:secret@db/x" },
      "IDENTITY_DATABASE_URL: its value is not sqlite:PATH or postgres://USER@HOST[:PORT][,HOST...]/NAME: it has another scheme, or a part that does not belong there",
    ],
    [
      { IDENTITY_DATABASE_URL: "postgres://u:secret@db/x?sslmode=verify-ca" },
      "IDENTITY_DATABASE_URL: its value is not sqlite:PATH or postgres://USER@HOST[:PORT][,HOST...]/NAME: sslmode=verify-ca needs the file of its authority in sslrootcert",
    ],
    [
      { IDENTITY_DATABASE_STANDBYS: "postgres://u:secret@db/x" },
      "IDENTITY_DATABASE_STANDBYS: is set, but IDENTITY_DATABASE_URL is not postgres://...: SQLite has no standbys",
    ],
    [
      { IDENTITY_DATABASE_LOCK_TIMEOUT: "31" },
      'IDENTITY_DATABASE_LOCK_TIMEOUT: "31" is above the 30 of IDENTITY_DATABASE_STATEMENT_TIMEOUT: the statement would be cancelled first',
    ],
    [
      { IDENTITY_DATABASE_STANDBY_LAG_MS: "10" },
      'IDENTITY_DATABASE_STANDBY_LAG_MS: "10" is not a whole number from 50 to 60000',
    ],
    [
      { IDENTITY_PASSWORD_REGEX: "(?<=a)b" },
      `IDENTITY_PASSWORD_REGEX: "(?<=a)b" is not a Python regular expression without lookarounds other than look-aheads at its start`,
    ],
    [
      { IDENTITY_PASSWORD_MINIMUM_AGE_DAYS: "7", IDENTITY_PASSWORD_EXPIRES_DAYS: "7" },
      'IDENTITY_PASSWORD_MINIMUM_AGE_DAYS: "7" is not below the 7 of IDENTITY_PASSWORD_EXPIRES_DAYS: passwords would expire before they may be changed',
    ],
    [
      { IDENTITY_TLS_CERT_FILE: "cert.pem" },
      "IDENTITY_TLS_KEY_FILE: is missing: IDENTITY_TLS_CERT_FILE and IDENTITY_TLS_KEY_FILE must be set together",
    ],
  ])("name the option, the value and what was expected: %j", (env, message) => {
    expect(faultOf(env as unknown as Record<string, string>)).toBe(message);
  });

  it("name the file's option as it is written there", () => {
    expect(faultOf({}, "workers = 0")).toBe('workers in id.toml: "0" is not a whole number from 1 to 256');
    expect(faultOf({}, "prot = 1")).toMatch(
      /^prot in id.toml: unknown setting, expected one of database_url, /,
    );
    expect(faultOf({}, 'admin_password = "se\ncret"')).toMatch(/^id.toml: Invalid TOML/);
    expect(faultOf({}, 'admin_password = "se\ncret"')).not.toContain("cret");
    expect(faultOf({}, "port = 1\n[port]\nx = 1")).toMatch(/^id.toml: /);
  });

  it("that are unknown are reported, not those of single commands", () => {
    const known = { IDENTITY_PORT: "1", IDENTITY_IMPORT_TOKEN: "t", PATH: "/bin" };
    expect(unknownOptions({ IDENTITY_PROT: "1", ...known })).toEqual(["IDENTITY_PROT"]);
  });

  it("are described with what they are otherwise", () => {
    const lines = describeOptions(HOME).flatMap((described) => described.lines);
    const [longest = 0, ...others] = lines.map((line) => line.search(/ [^ ]/));
    expect(new Set(others)).toEqual(new Set([longest]));
    expect(lines).toContainEqual(
      expect.stringMatching(/^IDENTITY_PORT +port to listen on; 0 for any free port \(5000\)$/),
    );
  });
});
