/** Runs `hamkit-identity bootstrap`. */
import type { BootstrapSettings, RequestedBootstrap } from "../../bootstrap-settings.js";
import type { Config } from "../../config.js";
import { newPassword, openService, type OpenService } from "../../open-service.js";
import { systemClock as clock } from "../../platform/clock.js";
import { newId } from "../../platform/ids.js";
import { DEFAULT_DOMAIN_ID } from "../../policy/caller.js";
import { publicUrlOf } from "../../public-url.js";
import { repeatBootstrap } from "./repeat-bootstrap.js";

export interface RunBootstrapOptions {
  /** Whether to reset the password of an existing administrator. */
  readonly isReset: boolean;
  readonly requested: RequestedBootstrap;
}

/**
 * Bootstraps an empty database; in an existing one, applies the given options.
 *
 * @returns Lines for the operator.
 */
export async function runBootstrap(
  config: Config,
  { isReset, requested }: RunBootstrapOptions,
): Promise<string[]> {
  const { settings, password, isGiven } = requested;
  const adminPassword = password ?? config.secrets.adminPassword;
  const service = await openService(
    { ...config, secrets: { ...config.secrets, adminPassword } },
    { clock, newId, publicUrl: publicUrlOf(config.server), bootstrapSettings: settings },
  );
  const source = password === undefined ? "that of IDENTITY_ADMIN_PASSWORD" : "the given one";
  const passwordLine = passwordLineOf(settings, source);
  try {
    if (service.isFirst)
      return [
        `Created the domain default, ${namesOf(settings)}, the roles and the catalog.`,
        passwordLine(service.firstPassword),
        ...roleLines(settings),
      ];
    const lines: string[] = [];
    if (isGiven) lines.push(...(await repeat(service, requested, { isReset, adminPassword, passwordLine })));
    if (isReset) lines.push(...(await resetPassword(service, { settings, adminPassword, passwordLine })));
    if (lines.length > 0) return lines;
    return ["Already bootstrapped; use --reset-password to reset the administrator's password."];
  } finally {
    await service.database.close();
  }
}

function namesOf({ username, projectName }: BootstrapSettings): string {
  return username === projectName
    ? `the user and the project ${username}`
    : `the user ${username} and the project ${projectName}`;
}

type PasswordLine = (made: string | undefined) => string;

interface PasswordOutput {
  readonly adminPassword: string | undefined;
  readonly passwordLine: PasswordLine;
}

async function repeat(
  { areas }: OpenService,
  { settings, password }: RequestedBootstrap,
  { isReset, adminPassword, passwordLine }: PasswordOutput & { readonly isReset: boolean },
): Promise<string[]> {
  const { username, projectName, roleName } = settings;
  const { isNewUser, madePassword } = await repeatBootstrap(areas, settings, {
    // A reset sets the password itself.
    password: isReset ? undefined : password,
    newUserPassword: adminPassword,
  });
  const isSet = isNewUser || password !== undefined;
  return [
    `The user ${username} is enabled, and has the role ${roleName} in the project ${projectName} and in the system.`,
    ...(isSet && !isReset ? [passwordLine(madePassword)] : []),
    ...catalogLines(settings),
    ...roleLines(settings),
  ];
}

function catalogLines({ urls, regionId }: BootstrapSettings): string[] {
  const region = regionId === undefined ? "" : ` of the region ${regionId}`;
  const lines = Object.entries(urls).map(([type, url]) => `The ${type} endpoint${region} is ${url}`);
  return lines.length === 0 && regionId !== undefined ? [`The region ${regionId} exists.`] : lines;
}

function roleLines({ roleName, username }: BootstrapSettings): string[] {
  if (roleName === "admin") return [];
  return [`The role ${roleName} is not admin: only admin lets ${username} administer everything.`];
}

/** For operators with access to database and master key who lost the password. */
async function resetPassword(
  { areas }: OpenService,
  {
    settings: { username },
    adminPassword,
    passwordLine,
  }: PasswordOutput & {
    readonly settings: BootstrapSettings;
  },
): Promise<string[]> {
  const { users } = areas.users;
  const user = await users.findUser({ name: username, domainId: DEFAULT_DOMAIN_ID });
  if (user === undefined) throw new Error(`User ${username} does not exist in domain ${DEFAULT_DOMAIN_ID}`);
  const password = adminPassword ?? newPassword();
  await users.update(user.id, { enabled: true, password });
  return [
    `The user ${username} is enabled and unlocked; all earlier tokens of the user are revoked.`,
    passwordLine(adminPassword === undefined ? password : undefined),
  ];
}

/** The line for a generated password, or for a given one. */
function passwordLineOf({ username }: BootstrapSettings, source: string): PasswordLine {
  return (made) =>
    made === undefined
      ? `The password of the user ${username} is ${source}.`
      : `The password of the user ${username}, shown only once: ${made}`;
}
