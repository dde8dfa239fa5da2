/** What every login checks of its provider: that it is enabled, that the assertion is its own, and that its session has not expired. */
import type { IdentityProvider } from "../identity-providers/identity-provider.js";
import type { Moment } from "../platform/clock.js";
import { quoted } from "../platform/text/quoted-value.js";
import type { EnabledProtocol, VerifiedAssertion } from "./assertion-verifier.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";
import { isoTime } from "./leeway.js";

/** `remote_ids` that a rejection names. */
const MAX_NAMED_REMOTE_IDS = 5;

/** @throws {AssertionForbiddenError} */
export function requireEnabledProvider({ id, enabled }: Pick<IdentityProvider, "id" | "enabled">): void {
  if (enabled) return;
  const reason = `identity provider ${quoted(id)} is disabled, expected "enabled": true`;
  throw new AssertionForbiddenError({ step: "provider", reason });
}

/** A provider without `remote_ids` is identified by the URL of its protocol alone. */
export function requireRemoteId(
  { provider: { remoteIds }, remoteIdAttribute }: EnabledProtocol,
  { remoteId }: VerifiedAssertion,
): void {
  if (remoteIds.length === 0 || (remoteId !== undefined && remoteIds.includes(remoteId))) return;
  const named = remoteIds.slice(0, MAX_NAMED_REMOTE_IDS).map(quoted).join(", ");
  const expected = `the provider's remote_ids: ${named}${remoteIds.length > MAX_NAMED_REMOTE_IDS ? ", …" : ""}`;
  if (remoteId !== undefined)
    throw new AssertionForbiddenError({
      step: "remote-id",
      reason: `remote id ${quoted(remoteId)} is not among ${expected}`,
    });
  const attribute =
    remoteIdAttribute === null
      ? "the attribute that IDENTITY_REMOTE_ID_ATTRIBUTE names"
      : `attribute ${remoteIdAttribute}`;
  throw new AssertionRefusedError({
    step: "remote-id",
    reason: `assertion carries no remote id (${attribute} is missing), expected one of ${expected}`,
  });
}

export function checkTime({ expiresAt = Infinity }: VerifiedAssertion, now: Moment): void {
  if (expiresAt > now) return;
  const seconds = Math.round((now - expiresAt) / 1000);
  const reason = `session at the provider expired: ${isoTime(expiresAt)}, ${seconds} s ago; check the clocks of both`;
  throw new AssertionRefusedError({ step: "time", reason });
}
