/** The settings of the service: name, parser, default and help of each. */
import { CONSOLE_OPTIONS, type ConsoleSettings } from "./console/console-options.js";
import { SAML_OPTIONS, type SamlSettings } from "./saml/saml-settings.js";
import { ENFORCEMENT_MODELS, type EnforcementModel } from "./limits/tree/enforcement.js";
import {
  DATABASE_OPTIONS,
  dataFolder,
  type DatabaseSettings,
} from "./platform/database/database-settings.js";
import { LOG_LEVELS, type LogLevel } from "./platform/log.js";
import { LOGIN_LIMIT_OPTIONS, type LoginLimitSettings } from "./platform/login-limits/login-limit-options.js";
import {
  httpUrl,
  oneOf,
  onOrOff,
  origins,
  readBy,
  text,
  textLike,
  webAddresses,
  wholeNumber,
  type Option,
} from "./platform/option-parsers.js";
import { addressList, type TrustedProxies } from "./platform/trusted-proxies.js";
import { compilePasswordPattern } from "./passwords/password-pattern.js";
import { NEW_HASH_KINDS, type NewHashKind, type PasswordSettings } from "./passwords/password-settings.js";

/** Validated settings with defaults. */
export interface Config
  extends ConsoleSettings, DatabaseSettings, PasswordSettings, SamlSettings, LoginLimitSettings {
  /** The kind of new hashes of passwords and secrets. */
  readonly passwordHash: NewHashKind;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The public base URL, without trailing slash; by default the listening address. */
  readonly publicUrl: string | undefined;
  /** Used by the first bootstrap only. */
  readonly adminPassword: string | undefined;
  /** The master key in base64; `undefined` if it is in the file. */
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string;
  /** Default page size of lists; `undefined` for all items. */
  readonly listLimit: number | undefined;
  /** Application credentials of one user; `undefined` for any number. */
  readonly applicationCredentialLimit: number | undefined;
  /** Maximum of credentials (`/v3/credentials`) of one user; `undefined` for no limit. */
  readonly credentialLimit: number | undefined;
  /** Whether catalogs to which no endpoint filter applies show all endpoints; otherwise they are empty. */
  readonly returnsAllEndpoints: boolean;
  /** How long after its time a signature of an EC2 or S3 request is accepted. */
  readonly signatureLifetimeSeconds: number;
  readonly allowsRedelegation: boolean;
  /** How often a trust may be redelegated. */
  readonly maxRedelegationCount: number;
  /** How limits of projects are validated against each other. */
  readonly enforcementModel: EnforcementModel;
  /** Number of worker processes. */
  readonly workers: number;
  /** How long the service keeps listening after a stop signal, until load balancers see that it is not ready. */
  readonly shutdownDelaySeconds: number;
  readonly isRateLimited: boolean;
  /** Lifetime of a token, and how long an expired one can be validated with `allow_expired`. */
  readonly tokenLifetimeSeconds: number;
  readonly expiredTokenWindowSeconds: number;
  /** Lifetime of a receipt: the time to complete a multi-factor login. */
  readonly receiptLifetimeSeconds: number;
  /** Days between rotations of the signing keys; 0 for rotation by command only. */
  readonly keyRotationDays: number;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly isTrustedProxy: TrustedProxies;
  /** Allowed CORS origins. */
  readonly corsOrigins: readonly string[];
  /** Maximum bytes of a request body. */
  readonly bodyLimit: number;
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly logLevel: LogLevel;
  /** Whether `/metrics` is served. */
  readonly hasMetrics: boolean;
  /** A separate port for `/metrics`; by default that of the service. */
  readonly metricsPort: number | undefined;
  /** The default header of forwarded assertions, where a protocol names none. */
  readonly forwardedAssertionHeader: string | undefined;
  /** Authentication of the front end: secret and address are both required. */
  readonly forwardedAssertionSecret: string | undefined;
  readonly isAssertionForwarder: TrustedProxies | undefined;
  /** The mapping of client certificates for OAuth 2.0. */
  readonly certificateMapping: string;
  /** The default attribute with the remote id, where a protocol names none. */
  readonly remoteIdAttribute: string | undefined;
  /** Dashboard URLs that may receive a token by WebSSO. */
  readonly trustedDashboards: readonly string[];
  /** Whether providers may use HTTP and loopback addresses: for development. */
  readonly allowsHttpIssuers: boolean;
  /** Whether logins of protocols may be recorded. */
  readonly recordsLogins: boolean;
  /** Private networks in which providers may be. */
  readonly isProviderNetwork: TrustedProxies;
}

type Options = {
  readonly [Key in keyof Config]: Option<NonNullable<Config[Key]>>;
};

export const OPTIONS: Options = {
  ...DATABASE_OPTIONS,
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
  publicUrl: {
    name: "IDENTITY_PUBLIC_URL",
    parser: httpUrl,
    help: "base URL for clients, used in links; by default the listening address",
  },
  adminPassword: {
    name: "IDENTITY_ADMIN_PASSWORD",
    parser: text("a password"),
    help: "the administrator's password, for the first bootstrap",
    isSecret: true,
  },
  masterKey: {
    name: "IDENTITY_MASTER_KEY",
    parser: text("a key in base64"),
    help: "the master key, which seals all secrets: 32 bytes in base64; by default read from the file",
    isSecret: true,
  },
  masterKeyFile: {
    name: "IDENTITY_MASTER_KEY_FILE",
    parser: text("the path of a file"),
    help: "file of the master key; created on first start",
    standard: (env) => `${dataFolder(env)}/master.key`,
  },
  listLimit: {
    name: "IDENTITY_LIST_LIMIT",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "default page size of lists; by default all items",
  },
  applicationCredentialLimit: {
    name: "IDENTITY_APPLICATION_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "application credentials that a user may have; by default any number",
  },
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
  credentialLimit: {
    name: "IDENTITY_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "maximum of credentials, such as EC2 keys, of one user; by default no limit",
  },
  returnsAllEndpoints: {
    name: "IDENTITY_RETURN_ALL_ENDPOINTS",
    parser: onOrOff,
    help: "catalog of tokens to which no endpoint filter applies: on for all endpoints, off for none",
    standard: "on",
  },
  signatureLifetimeSeconds: {
    name: "IDENTITY_SIGNATURE_LIFETIME",
    parser: wholeNumber({ from: 1, to: 604_800 }),
    help: "seconds for which signatures of EC2 and S3 requests are accepted, also of presigned S3 addresses of version 4",
    standard: "900",
  },
  enforcementModel: {
    name: "IDENTITY_ENFORCEMENT_MODEL",
    parser: oneOf(...ENFORCEMENT_MODELS),
    help: `how limits of projects are validated: ${ENFORCEMENT_MODELS.join(" or ")}`,
    standard: "flat",
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
  isRateLimited: {
    name: "IDENTITY_RATE_LIMIT",
    parser: onOrOff,
    help: "limit failed logins: on or off",
    standard: "on",
  },
  tokenLifetimeSeconds: {
    name: "IDENTITY_TOKEN_LIFETIME",
    parser: wholeNumber({ from: 60, to: 31_536_000 }),
    help: "lifetime of tokens in seconds",
    standard: "3600",
  },
  expiredTokenWindowSeconds: {
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
  logLevel: {
    name: "IDENTITY_LOG_LEVEL",
    parser: oneOf(...LOG_LEVELS),
    help: `minimum log level: ${LOG_LEVELS.join(", ")}`,
    standard: "info",
  },
  hasMetrics: {
    name: "IDENTITY_METRICS",
    parser: onOrOff,
    help: "serve /metrics: on or off",
    standard: "on",
  },
  metricsPort: {
    name: "IDENTITY_METRICS_PORT",
    parser: wholeNumber({ from: 1, to: 65_535 }),
    help: "separate port for /metrics, plain HTTP; by default that of the service",
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
  isAssertionForwarder: {
    name: "IDENTITY_FORWARDED_ASSERTION_FROM",
    parser: addressList,
    help: "addresses and networks that front ends connect from",
  },
  certificateMapping: {
    name: "IDENTITY_CERTIFICATE_MAPPING",
    parser: text("the id of a mapping"),
    help: "mapping that names the user of a client certificate, for OAuth 2.0",
    standard: "oauth2_mapping",
  },
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
  isProviderNetwork: {
    name: "IDENTITY_PROVIDER_NETWORKS",
    parser: addressList,
    help: "private networks in which identity providers may be, such as 10.20.0.0/16; by default public addresses only",
    standard: "",
  },
  ...CONSOLE_OPTIONS,
  passwordHash: {
    name: "IDENTITY_PASSWORD_HASH",
    parser: oneOf(...NEW_HASH_KINDS),
    help: `kind of new password hashes: ${NEW_HASH_KINDS.join(", ")}; Keystone reads the last two`,
    standard: "argon2id",
  },
  passwordRegex: {
    name: "IDENTITY_PASSWORD_REGEX",
    parser: readBy((given) => {
      compilePasswordPattern(given);
      return given;
    }, "a Python regular expression without lookarounds other than look-aheads at its start"),
    help: "regular expression that new passwords must match; by default any password",
  },
  passwordRegexDescription: {
    name: "IDENTITY_PASSWORD_REGEX_DESCRIPTION",
    parser: text("a text"),
    help: "description of the regular expression, shown when a password is rejected",
  },
  passwordExpiresDays: {
    name: "IDENTITY_PASSWORD_EXPIRES_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days until a password expires; by default never",
  },
  passwordMinimumAgeDays: {
    name: "IDENTITY_PASSWORD_MINIMUM_AGE_DAYS",
    parser: wholeNumber({ from: 0, to: 100_000 }),
    help: "days before a user may change a self-chosen password",
    standard: "0",
  },
  passwordHistory: {
    name: "IDENTITY_PASSWORD_HISTORY",
    parser: wholeNumber({ from: 0, to: 100 }),
    help: "number of passwords that a new one must differ from, including the current one",
    standard: "0",
  },
  lockoutAttempts: {
    name: "IDENTITY_LOCKOUT_ATTEMPTS",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "failed logins that lock an account; by default never",
  },
  lockoutSeconds: {
    name: "IDENTITY_LOCKOUT_SECONDS",
    parser: wholeNumber({ from: 0, to: 1_000_000_000 }),
    help: "seconds of a lockout; 0 until an administrator enables the account",
    standard: "1800",
  },
  inactiveDays: {
    name: "IDENTITY_INACTIVE_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days without a login that disable an account; by default never",
  },
  changePasswordUponFirstUse: {
    name: "IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE",
    parser: onOrOff,
    help: "require a change of passwords set by an administrator: on or off",
    standard: "off",
  },
  ...LOGIN_LIMIT_OPTIONS,
  ...SAML_OPTIONS,
};
