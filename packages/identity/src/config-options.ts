/** The settings of the service by groups: name, parser, default and help of each. */
import { CATALOG_OPTIONS } from "./catalog/catalog-options.js";
import { CONSOLE_OPTIONS } from "./console/console-options.js";
import { CREDENTIAL_OPTIONS } from "./credentials/credential-options.js";
import { DIRECTORY_OPTIONS } from "./directories/directory-options.js";
import { DEFAULT_DIRECTORY_OPTIONS } from "./domain-config/default-directory.js";
import { EVENT_OPTIONS } from "./events/event-options.js";
import { FEDERATION_OPTIONS } from "./federation/federation-options.js";
import { LIMIT_OPTIONS } from "./limits/limit-options.js";
import { PASSKEY_OPTIONS } from "./passkeys/passkey-options.js";
import { PASSWORD_OPTIONS } from "./passwords/password-options.js";
import { DATABASE_OPTIONS } from "./platform/database/database-settings.js";
import { METRICS_OPTIONS } from "./platform/health/metrics-options.js";
import { SERVER_OPTIONS } from "./platform/http/server-options.js";
import { LOG_OPTIONS } from "./platform/log-options.js";
import { FAILED_LOGIN_OPTIONS } from "./platform/login-throttling/throttling-options.js";
import { text, type Option, type Options, type ValuesOf } from "./platform/option-parsers.js";
import { MASTER_KEY_OPTIONS } from "./platform/secrets/sources/key-settings.js";
import { PKCS11_OPTIONS } from "./platform/secrets/sources/pkcs11/pkcs11-options.js";
import { VAULT_OPTIONS } from "./platform/secrets/sources/vault/vault-options.js";
import { TRACING_OPTIONS } from "./platform/tracing/tracing-options.js";
import { POLICY_OPTIONS } from "./policy/policy-options.js";
import { PROJECT_OPTIONS } from "./projects/project-options.js";
import { SAML_OPTIONS } from "./saml/saml-settings.js";
import { SCIM_OPTIONS } from "./scim/scim-options.js";
import { TOKEN_OPTIONS } from "./tokens/token-options.js";
import { TRUST_OPTIONS } from "./trusts/trust-options.js";

const SECRET_OPTIONS = {
  ...MASTER_KEY_OPTIONS,
  adminPassword: {
    name: "IDENTITY_ADMIN_PASSWORD",
    parser: text("a password"),
    help: "the administrator's password, for the first bootstrap",
    isSecret: true,
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
  project: PROJECT_OPTIONS,
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
