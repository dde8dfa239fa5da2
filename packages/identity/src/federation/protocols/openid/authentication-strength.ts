/** How a user has to authenticate at the provider (`acr_values`, `max_age`): asked for in requests, checked in tokens. */
import type { Moment } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { describeTime, LEEWAY_MS } from "../../leeway.js";
import type { Claims } from "./claim-attributes.js";
import { futureFault, quotedClaim } from "./claims.js";
import type { AnyOpenIdSettings } from "./openid-settings.js";

type StrengthSettings = Pick<AnyOpenIdSettings, "acr_values" | "max_age">;

/** The parameters of an authorization request. */
export function strengthParameters({ acr_values: classes, max_age: maxAge }: StrengthSettings) {
  return {
    ...(classes !== undefined && { acr_values: classes.join(" ") }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
  };
}

interface StrengthCheck {
  /** The kind of token, which names the step of a refusal. */
  readonly step: "id-token" | "access-token";
  /** When the login began: from then on the user may take long at the provider. */
  readonly since: Moment;
  readonly now: Moment;
}

/** @throws {AssertionRefusedError} The claims are missing, or not as the settings demand. */
export function checkStrength(claims: Claims, settings: StrengthSettings, check: StrengthCheck): void {
  const reason = contextFault(claims, settings) ?? ageFault(claims, settings, check);
  if (reason !== undefined) throw new AssertionRefusedError({ step: check.step, reason });
}

function contextFault({ acr }: Claims, { acr_values: classes }: StrengthSettings): string | undefined {
  if (classes === undefined || (typeof acr === "string" && classes.includes(acr))) return undefined;
  const received = acr === undefined ? "missing" : quotedClaim(acr);
  return `unexpected "acr": ${received}, expected ${quotedClaim(classes)} (acr_values)`;
}

function ageFault(
  { auth_time: seconds }: Claims,
  { max_age: maxAge }: StrengthSettings,
  { since, now }: StrengthCheck,
): string | undefined {
  if (maxAge === undefined) return undefined;
  if (typeof seconds !== "number" || !Number.isFinite(seconds))
    return `"auth_time" is ${seconds === undefined ? "missing" : `of type ${typeof seconds}`}, expected a number (max_age)`;
  const time = seconds * 1000;
  if (time < since - maxAge * 1000 - LEEWAY_MS)
    return `"auth_time" is too long ago: ${describeTime(time, now)}; expected at most ${maxAge} s before the login (max_age)`;
  return futureFault("auth_time", seconds, now);
}
