/** How a user's access ends, and its way back: the work of some commands of `users`, loaded on demand. */
import type { Areas } from "../areas.js";
import type { Config } from "../config.js";
import { newPassword, openService } from "../open-service.js";
import { systemClock as clock } from "../platform/clock.js";
import { newId } from "../platform/ids.js";
import type { Action } from "../policy/is-allowed.js";
import type { User } from "../users/user-store.js";
import type { UserSession } from "../sessions/session-service.js";
import { logAudit, storeAudit } from "./command-audit.js";
import type { CommandContext } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

export interface UserReference {
  /** Id or name. */
  readonly user: string;
  /** Id or name of the domain, for a user by name. */
  readonly domain: string;
}

interface Access {
  /** The action of the same request, for the audit trail; none if nothing changes. */
  readonly action?: Action;
  /** @param session The id of a session, for a command on one. @returns Lines for the operator. */
  readonly work: (areas: Areas, user: User, session: string) => Promise<readonly string[]>;
}

/** What a command does with a user. */
const USER_ACCESS = {
  sessions: {
    work: async ({ sessions }, user) => {
      const found = await sessions.sessions.list(user.id);
      return [...found.map(lineOf), `${found.length} sessions. Tokens are not stored, and so not listed.`];
    },
  },

  "end-session": {
    action: "identity:end_session",
    work: async ({ sessions }, user, session) => {
      await sessions.sessions.end(user.id, session);
      return [`Ended session ${session} of ${named(user)}, and revoked its tokens.`];
    },
  },

  "end-sessions": {
    action: "identity:end_sessions",
    work: async ({ sessions }, user) => {
      await sessions.sessions.endAll(user.id);
      return [`Ended all sessions of ${named(user)}, and revoked all its tokens.`];
    },
  },

  "reset-passkeys": {
    action: "identity:reset_passkeys",
    work: async ({ passkeys }, user) => {
      await passkeys.passkeys.reset(user.id);
      return [`Deleted all passkeys of ${named(user)}, and revoked all its tokens.`];
    },
  },

  "reset-one-time-codes": {
    action: "identity:reset_one_time_codes",
    work: async ({ credentials }, user) => {
      await credentials.credentials.resetOneTimeCodes(user.id);
      return [`Deleted the secrets of one-time codes of ${named(user)}, and revoked all its tokens.`];
    },
  },

  "reset-password": {
    action: "identity:reset_password",
    work: async ({ users }, user) => {
      const password = newPassword();
      await users.users.resetPassword(user.id, password);
      return [`The password of ${named(user)} is ${password}, and has to be changed at the next login.`];
    },
  },
} satisfies Readonly<Record<string, Access>>;

export type UserAccess = keyof typeof USER_ACCESS;

/** Nothing that a command prints has a link. */
export const NO_LINKS = "http://localhost";

export interface UserAccessRun {
  readonly context: Pick<CommandContext, "stderr">;
  readonly config: Config;
  readonly access: UserAccess;
  /** The id of a session, for a command on one. */
  readonly session?: string | undefined;
}

/** @throws {Error} The user or session does not exist. */
export async function runUserAccess(
  reference: UserReference,
  { context, config, access, session = "" }: UserAccessRun,
): Promise<readonly string[]> {
  // Nothing is migrated here.
  await (await openMigrated(config.database.url)).close();
  const { areas, database } = await openService(config, { clock, newId, publicUrl: NO_LINKS });
  try {
    const { action, work }: Access = USER_ACCESS[access];
    const user = await requireNamedUser(areas, reference);
    const lines = await work(areas, user, session);
    if (action === undefined) return lines;
    const target = { user_id: user.id, ...(session !== "" && { session_id: session }) };
    const event = await database.transaction(
      (transaction) => storeAudit(transaction, config, { action, target }),
      { changes: [] },
    );
    logAudit(context, event);
    return lines;
  } finally {
    await database.close();
  }
}

/** @throws {Error} The user does not exist. */
export async function requireNamedUser(
  { users, projects }: Areas,
  { user, domain }: UserReference,
): Promise<User> {
  const found = await users.users.findUser({ id: user });
  if (found !== undefined) return found;
  const place =
    (await projects.projects.findDomain({ id: domain })) ??
    (await projects.projects.findDomain({ name: domain }));
  const byName = place && (await users.users.findUser({ name: user, domainId: place.id }));
  if (byName === undefined)
    throw new Error(`No user has the id "${user}", or that name in domain "${domain}"`);
  return byName;
}

function named({ name, id }: User): string {
  return `user ${name} (${id})`;
}

function lineOf({ id, kind, provider, methods, device, address, usedAt, expiresAt }: UserSession): string {
  const facts = [
    `${id} ${kind}`,
    provider && `at ${provider.idpId} (${provider.protocolId})`,
    methods && `by ${methods.join(", ")}`,
    device,
    address && `from ${address}`,
    usedAt && `used ${new Date(usedAt).toISOString()}`,
    `until ${new Date(expiresAt).toISOString()}`,
  ];
  return facts.filter(Boolean).join(", ");
}
