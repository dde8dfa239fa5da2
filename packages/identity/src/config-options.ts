/** What an operator can set, option by option: its name, what it may be, what it is otherwise. */
import { SAML_OPTIONS, type SamlSettings } from "./saml/saml-settings.js";
import { ENFORCEMENT_MODELS, type EnforcementModel } from "./limits/tree/enforcement.js";
import { parsePostgresAddress } from "./platform/database/postgres/postgres-address.js";
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
  type Environment,
  type Option,
} from "./platform/option-parsers.js";
import { parseTrustedProxies, type TrustedProxies } from "./platform/trusted-proxies.js";
import { compilePasswordPattern } from "./passwords/password-pattern.js";
import type { PasswordSettings } from "./passwords/password-settings.js";

/** The settings, checked and complete. */
export interface Config extends PasswordSettings, SamlSettings, LoginLimitSettings {
  /** `sqlite:PATH` or `postgres://...` */
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Where clients reach the service, without a slash at the end; `undefined` where that is where it listens. */
  readonly publicUrl: string | undefined;
  /** Used by the first bootstrap alone. */
  readonly adminPassword: string | undefined;
  /** The master key itself, in base64; `undefined` where it is in the file. */
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string;
  /** Items of a list that is asked for without a limit; `undefined` for all. */
  readonly listLimit: number | undefined;
  /** How limits are held against each other. */
  readonly enforcementModel: EnforcementModel;
  /** Processes that serve. */
  readonly workers: number;
  /** How long the service goes on listening when it is told to stop, so that load balancers see that it is not ready. */
  readonly shutdownDelaySeconds: number;
  readonly isRateLimited: boolean;
  /** How long a token lives, and how long after that it may still be looked at by those who ask for it. */
  readonly tokenLifetimeSeconds: number;
  readonly expiredTokenWindowSeconds: number;
  /** How long a login may take that needs several methods, from the first one on. */
  readonly receiptLifetimeSeconds: number;
  /** Days after which the signing keys are rotated; 0 where only the command does it. */
  readonly keyRotationDays: number;
  /** Whose forwarded addresses count. */
  readonly isTrustedProxy: TrustedProxies;
  /** Origins whose pages may use the service from a browser. */
  readonly corsOrigins: readonly string[];
  /** Bytes of a body at most. */
  readonly bodyLimit: number;
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly logLevel: LogLevel;
  /** Whether `/metrics` answers. */
  readonly hasMetrics: boolean;
  /** The port on which `/metrics` answers; that of the service if left out. */
  readonly metricsPort: number | undefined;
  /** The header in which a front end says who a user is, where a protocol names no other; `undefined` for none. */
  readonly forwardedAssertionHeader: string | undefined;
  /** What a front end proves itself by. It is believed only with both of these. */
  readonly forwardedAssertionSecret: string | undefined;
  readonly isAssertionForwarder: TrustedProxies | undefined;
  /** The attribute that names the provider, where a protocol names no other. */
  readonly remoteIdAttribute: string | undefined;
  /** Addresses of dashboards that browsers are sent to with a token. */
  readonly trustedDashboards: readonly string[];
  /** Whether providers may be asked over HTTP, and on addresses that are not on the internet: for development. */
  readonly allowsHttpIssuers: boolean;
  /** Networks that are not on the internet, and that providers may be in all the same. */
  readonly isProviderNetwork: TrustedProxies;
}

type Options = {
  readonly [Key in keyof Config]: Option<NonNullable<Config[Key]>>;
};
const DATABASE_URL =
  "sqlite:PATH or postgres://USER@HOST[:PORT][,HOST...]/NAME, whose target_session_attrs is any, read-write or primary";

export const OPTIONS: Options = {
  databaseUrl: {
    name: "IDENTITY_DATABASE_URL",
    parser: readBy(checkDatabaseUrl, DATABASE_URL),
    help: "the database: sqlite:PATH or postgres://USER@HOST/NAME, with HOST,HOST where it may move",
    standard: (env) => `sqlite:${dataFolder(env)}/identity.db`,
    isSecret: true,
  },
  host: {
    name: "IDENTITY_HOST",
    parser: text("an address or a name to listen on"),
    help: "address to listen on",
    standard: "127.0.0.1",
  },
  port: {
    name: "IDENTITY_PORT",
    parser: wholeNumber({ from: 0, to: 65_535 }),
    help: "port to listen on; 0 takes any",
    standard: "5000",
  },
  publicUrl: {
    name: "IDENTITY_PUBLIC_URL",
    parser: httpUrl,
    help: "where clients reach the service, for its links; where it listens if left out",
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
    help: "the key that seals the others: 32 bytes in base64; from the file if left out",
    isSecret: true,
  },
  masterKeyFile: {
    name: "IDENTITY_MASTER_KEY_FILE",
    parser: text("the path of a file"),
    help: "the key that seals the others; made on first start",
    standard: (env) => `${dataFolder(env)}/master.key`,
  },
  listLimit: {
    name: "IDENTITY_LIST_LIMIT",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "items of a list that is asked for without a limit; all if left out",
  },
  enforcementModel: {
    name: "IDENTITY_ENFORCEMENT_MODEL",
    parser: oneOf(...ENFORCEMENT_MODELS),
    help: `how limits are held against each other: ${ENFORCEMENT_MODELS.join(" or ")}`,
    standard: "flat",
  },
  workers: {
    name: "IDENTITY_WORKERS",
    parser: wholeNumber({ from: 1, to: 256 }),
    help: "processes that serve",
    standard: "1",
  },
  shutdownDelaySeconds: {
    name: "IDENTITY_SHUTDOWN_DELAY",
    parser: wholeNumber({ from: 0, to: 3600 }),
    help: "seconds for which it goes on listening after SIGTERM, with /readyz at 503; longer than load balancers take to see that",
    standard: "5",
  },
  isRateLimited: {
    name: "IDENTITY_RATE_LIMIT",
    parser: onOrOff,
    help: "whether failed logins are limited: on or off",
    standard: "on",
  },
  tokenLifetimeSeconds: {
    name: "IDENTITY_TOKEN_LIFETIME",
    parser: wholeNumber({ from: 60, to: 31_536_000 }),
    help: "seconds that a token lives",
    standard: "3600",
  },
  expiredTokenWindowSeconds: {
    name: "IDENTITY_EXPIRED_TOKEN_WINDOW",
    parser: wholeNumber({ from: 0, to: 31_536_000 }),
    help: "seconds for which a token may still be looked at, after its end, by those who ask for it",
    standard: "172800",
  },
  receiptLifetimeSeconds: {
    name: "IDENTITY_RECEIPT_LIFETIME",
    parser: wholeNumber({ from: 10, to: 3600 }),
    help: "seconds in which a login has to be continued that needs several methods",
    standard: "300",
  },
  keyRotationDays: {
    name: "IDENTITY_KEY_ROTATION_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days after which the keys that sign tokens are rotated; 0 for by command alone",
    standard: "30",
  },
  isTrustedProxy: {
    name: "IDENTITY_TRUSTED_PROXIES",
    parser: readBy(parseTrustedProxies, "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8"),
    help: "addresses and networks of proxies, whose X-Forwarded-For counts",
    standard: "",
  },
  corsOrigins: {
    name: "IDENTITY_CORS_ORIGINS",
    parser: origins,
    help: "origins whose pages may use the service from a browser, such as https://console.example.org",
    standard: "",
  },
  bodyLimit: {
    name: "IDENTITY_BODY_LIMIT",
    parser: wholeNumber({ from: 1024, to: 1 << 30 }),
    help: "bytes of a request's body at most",
    standard: "114688",
  },
  tlsCertFile: {
    name: "IDENTITY_TLS_CERT_FILE",
    parser: text("the path of a file"),
    help: "certificates in PEM; with them and their key the service speaks HTTPS",
  },
  tlsKeyFile: {
    name: "IDENTITY_TLS_KEY_FILE",
    parser: text("the path of a file"),
    help: "the key of the certificate, in PEM",
  },
  logLevel: {
    name: "IDENTITY_LOG_LEVEL",
    parser: oneOf(...LOG_LEVELS),
    help: `least serious lines of the log: ${LOG_LEVELS.join(", ")}`,
    standard: "info",
  },
  hasMetrics: {
    name: "IDENTITY_METRICS",
    parser: onOrOff,
    help: "whether /metrics answers: on or off",
    standard: "on",
  },
  metricsPort: {
    name: "IDENTITY_METRICS_PORT",
    parser: wholeNumber({ from: 1, to: 65_535 }),
    help: "port for /metrics alone, by plain HTTP; with the rest of the service if left out",
  },
  forwardedAssertionHeader: {
    name: "IDENTITY_FORWARDED_ASSERTION_HEADER",
    parser: textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "the name of a header"),
    help: "header in which a front end says who a federated user is, as JSON in base64",
  },
  forwardedAssertionSecret: {
    name: "IDENTITY_FORWARDED_ASSERTION_SECRET",
    parser: textLike(/^[\x21-\x7e]{16,}$/, "a secret of at least 16 letters, digits and signs"),
    help: "what the front end proves itself by, in X-Forwarded-Assertion-Secret; nobody is believed if left out",
    isSecret: true,
  },
  isAssertionForwarder: {
    name: "IDENTITY_FORWARDED_ASSERTION_FROM",
    parser: readBy(parseTrustedProxies, "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8"),
    help: "addresses and networks that front ends connect from",
  },
  remoteIdAttribute: {
    name: "IDENTITY_REMOTE_ID_ATTRIBUTE",
    parser: text("the name of an attribute"),
    help: "attribute that names the identity provider, such as MELLON_IDP, where a protocol names no other",
  },
  trustedDashboards: {
    name: "IDENTITY_TRUSTED_DASHBOARDS",
    parser: webAddresses,
    help: "addresses of dashboards that browsers may be sent to with a token, exactly as dashboards give them",
    standard: "",
  },
  allowsHttpIssuers: {
    name: "IDENTITY_ALLOW_HTTP_ISSUERS",
    parser: onOrOff,
    help: "whether identity providers may be on this computer and without HTTPS, for development: on or off",
    standard: "off",
  },
  isProviderNetwork: {
    name: "IDENTITY_PROVIDER_NETWORKS",
    parser: readBy(parseTrustedProxies, "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8"),
    help: "networks of your own that identity providers may be in, such as 10.20.0.0/16; the internet alone if left out",
    standard: "",
  },
  passwordRegex: {
    name: "IDENTITY_PASSWORD_REGEX",
    parser: readBy((given) => {
      compilePasswordPattern(given);
      return given;
    }, "a regular expression of Python's without look-around, except for look-aheads at its start"),
    help: "what new passwords have to match, as a regular expression; anything if left out",
  },
  passwordRegexDescription: {
    name: "IDENTITY_PASSWORD_REGEX_DESCRIPTION",
    parser: text("a text"),
    help: "the same for people, who see it when a password is refused",
  },
  passwordExpiresDays: {
    name: "IDENTITY_PASSWORD_EXPIRES_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days after which a password has to be changed; never if left out",
  },
  passwordMinimumAgeDays: {
    name: "IDENTITY_PASSWORD_MINIMUM_AGE_DAYS",
    parser: wholeNumber({ from: 0, to: 100_000 }),
    help: "days before a user may change a password that the same user chose",
    standard: "0",
  },
  passwordHistory: {
    name: "IDENTITY_PASSWORD_HISTORY",
    parser: wholeNumber({ from: 0, to: 100 }),
    help: "passwords that a new one must differ from, the present one included",
    standard: "0",
  },
  lockoutAttempts: {
    name: "IDENTITY_LOCKOUT_ATTEMPTS",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "failed logins after which an account is locked; never if left out",
  },
  lockoutSeconds: {
    name: "IDENTITY_LOCKOUT_SECONDS",
    parser: wholeNumber({ from: 0, to: 1_000_000_000 }),
    help: "seconds for which it is locked; 0 until an administrator enables it again",
    standard: "1800",
  },
  inactiveDays: {
    name: "IDENTITY_INACTIVE_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days without a login after which an account is disabled; never if left out",
  },
  changePasswordUponFirstUse: {
    name: "IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE",
    parser: onOrOff,
    help: "whether a password that an administrator set has to be changed at once: on or off",
    standard: "off",
  },
  ...LOGIN_LIMIT_OPTIONS,
  ...SAML_OPTIONS,
};

/** @throws {TypeError} */
function checkDatabaseUrl(given: string): string {
  if (!/^sqlite:./.test(given)) parsePostgresAddress(given);
  return given;
}

/** The user's own folder for data, or one in the working directory where there is no home. */
function dataFolder({ XDG_DATA_HOME, HOME, LOCALAPPDATA }: Environment): string {
  const base = XDG_DATA_HOME ?? LOCALAPPDATA ?? (HOME === undefined ? "." : `${HOME}/.local/share`);
  return `${base}/hamkit-identity`;
}
