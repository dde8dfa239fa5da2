/** What `hamkit-identity bootstrap` does. */
import type { BootstrapSettings } from "../bootstrap-settings.js";
import type { Config } from "../config.js";
import { newPassword, openService, type OpenService } from "../open-service.js";
import { systemClock as clock } from "../platform/clock.js";
import { newId } from "../platform/ids.js";
import { DEFAULT_DOMAIN_ID } from "../policy/own-domain.js";
import { publicUrlOf } from "../public-url.js";
import type { RequestedBootstrap } from "./bootstrap-options.js";
import { repeatBootstrap } from "./repeat-bootstrap.js";

export interface FirstStartOptions {
  /** Whether the administrator gets another password, where there is one already. */
  readonly isReset: boolean;
  readonly requested: RequestedBootstrap;
}

/**
 * Makes what the first start makes, where that is not there; later what is asked for by options.
 *
 * @returns What was done.
 */
export async function makeFirstStart(
  config: Config,
  { isReset, requested }: FirstStartOptions,
): Promise<string[]> {
  const { settings, password, isGiven } = requested;
  const adminPassword = password ?? config.adminPassword;
  const service = await openService(
    { ...config, adminPassword, publicUrl: publicUrlOf(config) },
    { clock, newId, bootstrapSettings: settings },
  );
  const source = password === undefined ? "that of IDENTITY_ADMIN_PASSWORD" : "the one that was given";
  const passwordLine = passwordLineOf(settings, source);
  try {
    if (service.isFirst)
      return [
        `Made the domain default, ${namesOf(settings)}, the roles and the catalog.`,
        passwordLine(service.firstPassword),
        ...roleLines(settings),
      ];
    const lines: string[] = [];
    if (isGiven) lines.push(...(await repeat(service, requested, { isReset, adminPassword, passwordLine })));
    if (isReset) lines.push(...(await resetPassword(service, { settings, adminPassword, passwordLine })));
    if (lines.length > 0) return lines;
    return ["The first start was before; --reset-password gives the administrator another password."];
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

interface PasswordFacts {
  readonly adminPassword: string | undefined;
  readonly passwordLine: PasswordLine;
}

async function repeat(
  { features }: OpenService,
  { settings, password }: RequestedBootstrap,
  { isReset, adminPassword, passwordLine }: PasswordFacts & { readonly isReset: boolean },
): Promise<string[]> {
  const { username, projectName, roleName } = settings;
  const { isNewUser, madePassword } = await repeatBootstrap(features, settings, {
    // A reset sets it, whatever it is.
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
  return lines.length === 0 && regionId !== undefined ? [`There is a region ${regionId}.`] : lines;
}

function roleLines({ roleName, username }: BootstrapSettings): string[] {
  if (roleName === "admin") return [];
  return [`The role ${roleName} is not admin, which alone lets ${username} administer everything.`];
}

/** Whoever can read the database and its keys may do this: it is the way back in for those who lost theirs. */
async function resetPassword(
  { features }: OpenService,
  {
    settings: { username },
    adminPassword,
    passwordLine,
  }: PasswordFacts & {
    readonly settings: BootstrapSettings;
  },
): Promise<string[]> {
  const user = await features.users.findUser({ name: username, domainId: DEFAULT_DOMAIN_ID });
  if (user === undefined) throw new Error(`There is no user ${username} in the domain ${DEFAULT_DOMAIN_ID}`);
  const password = adminPassword ?? newPassword();
  await features.users.update(user.id, { enabled: true, password });
  return [
    `The user ${username} is enabled and unlocked; its tokens from before are good no longer.`,
    passwordLine(adminPassword === undefined ? password : undefined),
  ];
}

/** @returns The line for a password that nobody knows yet, or else for one that was given. */
function passwordLineOf({ username }: BootstrapSettings, source: string): PasswordLine {
  return (made) =>
    made === undefined
      ? `The password of the user ${username} is ${source}.`
      : `The password of the user ${username}, which is shown this once: ${made}`;
}
