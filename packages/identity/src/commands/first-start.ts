/** What `hamkit-identity bootstrap` does. */
import { ADMIN } from "../bootstrap.js";
import type { Config } from "../config.js";
import { newPassword, openService, type OpenService } from "../open-service.js";
import { systemClock as clock } from "../platform/clock.js";
import { newId } from "../platform/ids.js";
import { DEFAULT_DOMAIN_ID } from "../projects/project.js";
import { publicUrlOf } from "../public-url.js";

/**
 * Makes what the first start makes, where that is not there.
 *
 * @param options.isReset Whether the administrator gets another password, where there is one already.
 * @returns What was done.
 */
export async function makeFirstStart(
  config: Config,
  { isReset }: { readonly isReset: boolean },
): Promise<string[]> {
  const service = await openService({ ...config, publicUrl: publicUrlOf(config) }, { clock, newId });
  try {
    if (service.isFirst)
      return [
        "Made the domain default, the user and the project admin, the roles and the catalog.",
        passwordLine(service.firstPassword),
      ];
    if (isReset) return await resetPassword(config, service);
    return ["The first start was before; --reset-password gives the administrator another password."];
  } finally {
    await service.database.close();
  }
}

/** Whoever can read the database and its keys may do this: it is the way back in for those who lost theirs. */
async function resetPassword({ adminPassword }: Config, { features }: OpenService): Promise<string[]> {
  const user = await features.users.findUser({ name: ADMIN, domainId: DEFAULT_DOMAIN_ID });
  if (user === undefined) throw new Error(`There is no user ${ADMIN} in the domain ${DEFAULT_DOMAIN_ID}`);
  const password = adminPassword ?? newPassword();
  await features.users.update(user.id, { enabled: true, password });
  return [
    "The user admin is enabled and unlocked; its tokens from before are good no longer.",
    passwordLine(adminPassword === undefined ? password : undefined),
  ];
}

/** @param made The password, where nobody knows it yet. */
function passwordLine(made: string | undefined): string {
  return made === undefined
    ? "The password of the user admin is that of IDENTITY_ADMIN_PASSWORD."
    : `The password of the user admin, which is shown this once: ${made}`;
}
