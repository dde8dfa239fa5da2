/** What libraries throw over a login, as a refusal with its reason for the log. */
import { WWWAuthenticateChallengeError } from "openid-client";

import { AssertionRefusedError } from "../federation-errors.js";

/** Runs work; whatever it throws is that the login is refused at this step. */
export async function refusing<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionRefusedError) throw error;
    throw new AssertionRefusedError({ step, reason: reasonOf(error) }, { cause: error });
  }
}

/** The libraries' messages name claims, and never their values; what else is in their errors is not for the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "for no reason";
  const told = toldWord(error);
  const reason = told === undefined ? error.message : `${error.message}: ${told}`;
  return error.cause instanceof Error ? `${reason} (${reasonOf(error.cause)})` : reason;
}

/** The word by which a provider refuses, such as `access_denied`: in its answer, or in a header of that. */
function toldWord(error: Error): string | undefined {
  const told =
    error instanceof WWWAuthenticateChallengeError
      ? error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error
      : "error" in error && error.error;
  return typeof told === "string" && /^[\w-]{1,64}$/.test(told) ? told : undefined;
}
