/** The settings of the service by groups: name, parser, default and help of each. */
import { CONSOLE_OPTIONS } from "./console/console-options.js";
import { DEFAULT_DIRECTORY_OPTIONS } from "./domain-config/default-directory.js";
import { EVENT_OPTIONS } from "./events/event-options.js";
import { ENFORCEMENT_MODELS } from "./limits/tree/enforcement.js";
import { PASSKEY_OPTIONS } from "./passkeys/passkey-options.js";
import { PASSWORD_OPTIONS } from "./passwords/password-options.js";
import { DATABASE_OPTIONS } from "./platform/database/database-settings.js";
import { LOG_LEVELS } from "./platform/log.js";
import { FAILED_LOGIN_OPTIONS } from "./platform/login-throttling/throttling-options.js";
import {
  httpUrl,
  oneOf,
  onOrOff,
  origins,
  text,
  textLike,
  webAddresses,
  wholeNumber,
  type Option,
  type Options,
  type ValuesOf,
} from "./platform/option-parsers.js";
import { MASTER_KEY_OPTIONS } from "./platform/secrets/sources/key-settings.js";
import { PKCS11_OPTIONS } from "./platform/secrets/sources/pkcs11/pkcs11-options.js";
import { VAULT_OPTIONS } from "./platform/secrets/sources/vault/vault-options.js";
import { TRACING_OPTIONS } from "./platform/tracing/tracing-options.js";
import { addressList } from "./platform/trusted-proxies.js";
import { POLICY_OPTIONS } from "./policy/policy-options.js";
import { SAML_OPTIONS } from "./saml/saml-settings.js";

const SERVER_OPTIONS = {
  host: {
    name: "IDENTITY_HOST",
    parser: text("an address or host name to listen on"),
    help: "address to listen on",
    standard: "127.0.0.1",
  },
  port: {
    name: "IDENTITY_PORT",
    parser: wholeNumber({ from: 0, to: 65_535 }),
    help: "port to listen on; 0 for any free port",
    standard: "5000",
  },
  /** Without trailing slash. */
  publicUrl: {
    name: "IDENTITY_PUBLIC_URL",
    parser: httpUrl,
    help: "base URL for clients, used in links; by default the listening address",
  },
  workers: {
    name: "IDENTITY_WORKERS",
    parser: wholeNumber({ from: 1, to: 256 }),
    help: "number of worker processes",
    standard: "1",
  },
  shutdownDelaySeconds: {
    name: "IDENTITY_SHUTDOWN_DELAY",
    parser: wholeNumber({ from: 0, to: 3600 }),
    help: "seconds to keep listening after SIGTERM, with /readyz at 503; longer than a load balancer's check interval",
    standard: "5",
  },
  tlsCertFile: {
    name: "IDENTITY_TLS_CERT_FILE",
    parser: text("the path of a file"),
    help: "certificate chain in PEM; with its key, the service uses HTTPS",
  },
  tlsKeyFile: {
    name: "IDENTITY_TLS_KEY_FILE",
    parser: text("the path of a file"),
    help: "the key of the certificate, in PEM",
  },
  isTrustedProxy: {
    name: "IDENTITY_TRUSTED_PROXIES",
    parser: addressList,
    help: "addresses and networks of proxies whose X-Forwarded-For is trusted",
    standard: "",
  },
  corsOrigins: {
    name: "IDENTITY_CORS_ORIGINS",
    parser: origins,
    help: "allowed CORS origins, such as https://console.example.org",
    standard: "",
  },
  bodyLimit: {
    name: "IDENTITY_BODY_LIMIT",
    parser: wholeNumber({ from: 1024, to: 1 << 30 }),
    help: "maximum bytes of a request body",
    standard: "114688",
  },
  defaultPageSize: {
    name: "IDENTITY_LIST_LIMIT",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "default page size of lists; by default all items",
  },
} satisfies Options;

const LOG_OPTIONS = {
  level: {
    name: "IDENTITY_LOG_LEVEL",
    parser: oneOf(...LOG_LEVELS),
    help: `minimum log level: ${LOG_LEVELS.join(", ")}`,
    standard: "info",
  },
  requiresAudit: {
    name: "IDENTITY_AUDIT_REQUIRED",
    parser: onOrOff,
    help: "refuse changes while the log, and so their audit lines, can't be written: on or off",
    standard: "off",
  },
} satisfies Options;

const METRICS_OPTIONS = {
  isServed: {
    name: "IDENTITY_METRICS",
    parser: onOrOff,
    help: "serve /metrics: on or off",
    standard: "on",
  },
  port: {
    name: "IDENTITY_METRICS_PORT",
    parser: wholeNumber({ from: 1, to: 65_535 }),
    help: "separate port for /metrics, plain HTTP; by default that of the service",
  },
  url: {
    name: "IDENTITY_METRICS_URL",
    parser: httpUrl,
    help: "where an OpenTelemetry collector takes metrics by OTLP over HTTP, such as http://127.0.0.1:4318/v1/metrics; by default none are sent",
  },
  everySeconds: {
    name: "IDENTITY_METRICS_SECONDS",
    parser: wholeNumber({ from: 1, to: 3600 }),
    help: "seconds from one sending of metrics to IDENTITY_METRICS_URL to the next",
    standard: "60",
  },
} satisfies Options;

const SECRET_OPTIONS = {
  ...MASTER_KEY_OPTIONS,
  adminPassword: {
    name: "IDENTITY_ADMIN_PASSWORD",
    parser: text("a password"),
    help: "the administrator's password, for the first bootstrap",
    isSecret: true,
  },
} satisfies Options;

const TOKEN_OPTIONS = {
  lifetimeSeconds: {
    name: "IDENTITY_TOKEN_LIFETIME",
    parser: wholeNumber({ from: 60, to: 31_536_000 }),
    help: "lifetime of tokens in seconds",
    standard: "3600",
  },
  expiredWindowSeconds: {
    name: "IDENTITY_EXPIRED_TOKEN_WINDOW",
    parser: wholeNumber({ from: 0, to: 31_536_000 }),
    help: "seconds for which expired tokens can be validated with allow_expired",
    standard: "172800",
  },
  receiptLifetimeSeconds: {
    name: "IDENTITY_RECEIPT_LIFETIME",
    parser: wholeNumber({ from: 10, to: 3600 }),
    help: "seconds to complete a multi-factor login",
    standard: "300",
  },
  keyRotationDays: {
    name: "IDENTITY_KEY_ROTATION_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days between rotations of the token signing keys; 0 for rotation by command only",
    standard: "30",
  },
} satisfies Options;

const CREDENTIAL_OPTIONS = {
  maxApplicationCredentials: {
    name: "IDENTITY_APPLICATION_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "application credentials that a user may have; by default any number",
  },
  maxCredentials: {
    name: "IDENTITY_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "maximum of credentials, such as EC2 keys, of one user; by default no limit",
  },
  allowsCrossDomain: {
    name: "IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS",
    parser: onOrOff,
    help: "allow administrators of a domain or project to read and change credentials and EC2 keys of all users, as Keystone does: on or off",
    standard: "off",
  },
  signatureLifetimeSeconds: {
    name: "IDENTITY_SIGNATURE_LIFETIME",
    parser: wholeNumber({ from: 1, to: 604_800 }),
    help: "seconds for which signatures of EC2 and S3 requests are accepted, also of presigned S3 addresses of version 4",
    standard: "900",
  },
  certificateMapping: {
    name: "IDENTITY_CERTIFICATE_MAPPING",
    parser: text("the id of a mapping"),
    help: "mapping that names the user of a client certificate, for OAuth 2.0",
    standard: "oauth2_mapping",
  },
} satisfies Options;

const TRUST_OPTIONS = {
  allowsRedelegation: {
    name: "IDENTITY_ALLOW_REDELEGATION",
    parser: onOrOff,
    help: "allow trustees to pass trusts on: on or off",
    standard: "off",
  },
  maxRedelegationCount: {
    name: "IDENTITY_MAX_REDELEGATION_COUNT",
    parser: wholeNumber({ from: 1, to: 100 }),
    help: "how often a trust may be passed on",
    standard: "3",
  },
} satisfies Options;

const CATALOG_OPTIONS = {
  returnsAllEndpoints: {
    name: "IDENTITY_RETURN_ALL_ENDPOINTS",
    parser: onOrOff,
    help: "catalog of tokens to which no endpoint filter applies: on for all endpoints, off for none",
    standard: "on",
  },
} satisfies Options;

const LIMIT_OPTIONS = {
  enforcementModel: {
    name: "IDENTITY_ENFORCEMENT_MODEL",
    parser: oneOf(...ENFORCEMENT_MODELS),
    help: `how limits of projects are validated: ${ENFORCEMENT_MODELS.join(" or ")}`,
    standard: "flat",
  },
} satisfies Options;

const FEDERATION_OPTIONS = {
  remoteIdAttribute: {
    name: "IDENTITY_REMOTE_ID_ATTRIBUTE",
    parser: text("the name of an attribute"),
    help: "attribute with the remote id of the identity provider, such as MELLON_IDP; a protocol may name another",
  },
  trustedDashboards: {
    name: "IDENTITY_TRUSTED_DASHBOARDS",
    parser: webAddresses,
    help: "dashboard URLs that may receive a token by WebSSO; compared exactly",
    standard: "",
  },
  isProviderNetwork: {
    name: "IDENTITY_PROVIDER_NETWORKS",
    parser: addressList,
    help: "private networks in which identity providers may be, such as 10.20.0.0/16; by default public addresses only",
    standard: "",
  },
  allowsHttpIssuers: {
    name: "IDENTITY_ALLOW_HTTP_ISSUERS",
    parser: onOrOff,
    help: "allow identity providers on loopback addresses and over HTTP, for development: on or off",
    standard: "off",
  },
  recordsLogins: {
    name: "IDENTITY_LOGIN_RECORDING",
    parser: onOrOff,
    help: "allow protocols to record attributes of their logins, for the replay of mapping rules: on or off; off deletes what was recorded",
    standard: "off",
  },
  forwardedAssertionHeader: {
    name: "IDENTITY_FORWARDED_ASSERTION_HEADER",
    parser: textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "the name of a header"),
    help: "header with the assertion that a front end forwards, as JSON in base64",
  },
  forwardedAssertionSecret: {
    name: "IDENTITY_FORWARDED_ASSERTION_SECRET",
    parser: textLike(/^[\x21-\x7e]{16,}$/, "a secret of at least 16 printable ASCII characters"),
    help: "secret of the front end, sent in X-Forwarded-Assertion-Secret; without it forwarded assertions are rejected",
    isSecret: true,
  },
  /** Secret and address are both required. */
  isAssertionForwarder: {
    name: "IDENTITY_FORWARDED_ASSERTION_FROM",
    parser: addressList,
    help: "addresses and networks that front ends connect from",
  },
} satisfies Options;

const SCIM_OPTIONS = {
  secretDays: {
    name: "IDENTITY_SCIM_SECRET_DAYS",
    parser: wholeNumber({ from: 1, to: 3650 }),
    help: "days until a SCIM secret expires that is created without expires_at",
    standard: "365",
  },
} satisfies Options;

const DIRECTORY_OPTIONS = {
  hasDomainDrivers: {
    name: "IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED",
    parser: onOrOff,
    help: "use the directory (LDAP) that a domain's configuration names as identity.driver: on or off",
    standard: "off",
  },
  recheckSeconds: {
    name: "IDENTITY_LDAP_RECHECK",
    parser: wholeNumber({ from: 0, to: 3600 }),
    help: "seconds after which a token of a user in a directory is checked there again",
    standard: "60",
  },
} satisfies Options;

/** In the order of the help and of `docs/identity/configuration.md`. The groups' titles are their names. */
export const OPTION_GROUPS = {
  database: DATABASE_OPTIONS,
  server: SERVER_OPTIONS,
  log: LOG_OPTIONS,
  metrics: METRICS_OPTIONS,
  tracing: TRACING_OPTIONS,
  events: EVENT_OPTIONS,
  secrets: SECRET_OPTIONS,
  vault: VAULT_OPTIONS,
  pkcs11: PKCS11_OPTIONS,
  token: TOKEN_OPTIONS,
  password: PASSWORD_OPTIONS,
  passkey: PASSKEY_OPTIONS,
  failedLogins: FAILED_LOGIN_OPTIONS,
  credential: CREDENTIAL_OPTIONS,
  trust: TRUST_OPTIONS,
  policy: POLICY_OPTIONS,
  directory: DIRECTORY_OPTIONS,
  defaultDirectory: DEFAULT_DIRECTORY_OPTIONS,
  catalog: CATALOG_OPTIONS,
  limit: LIMIT_OPTIONS,
  federation: FEDERATION_OPTIONS,
  scim: SCIM_OPTIONS,
  saml: SAML_OPTIONS,
  console: CONSOLE_OPTIONS,
} satisfies Readonly<Record<string, Options>>;

/** The settings of all groups. */
export const ALL_OPTIONS: readonly Option<unknown>[] = Object.values(OPTION_GROUPS).flatMap(
  (options: Options) => Object.values(options),
);

/** Validated settings with defaults, by group: `config.token.lifetimeSeconds`. */
export type Config = {
  readonly [Group in keyof typeof OPTION_GROUPS]: ValuesOf<(typeof OPTION_GROUPS)[Group]>;
};
