/** Login by an access token of OAuth 1.0a: the request is signed with its secret and that of its consumer. */
import type { Revocations } from "../../tokens/revocations.js";
import type { OAuth1Service } from "../../oauth1/oauth1-service.js";
import { readOAuth1Request, type OAuth1Verifier } from "../../oauth1/oauth1-verification.js";
import { InvalidError, NotFoundError } from "../../platform/errors.js";
import { FailedLoginError } from "../auth-errors.js";
import type { AuthMethod } from "../auth-methods.js";

export interface OAuth1MethodDeps {
  readonly oauth1: Pick<OAuth1Service, "requireAccessToken">;
  readonly oauth1Verifier: OAuth1Verifier;
  readonly revocations: Pick<Revocations, "known">;
}

const METHOD = "oauth1";

export function createOAuth1Method({ oauth1, oauth1Verifier, revocations }: OAuth1MethodDeps): AuthMethod {
  return {
    name: METHOD,
    async prove(_, { request }) {
      const { position } = await revocations.known();
      const token = await orRefused(async () =>
        oauth1.requireAccessToken(readOAuth1Request(request), oauth1Verifier),
      );
      const { id, consumerId, userId, projectId } = token;
      return {
        userId,
        methods: [METHOD],
        position,
        isUserChecked: false,
        scope: { kind: "project", projectId },
        delegation: { accessToken: { id, consumerId } },
      };
    },
  };
}

/** A login tells neither which parameter is wrong nor which consumers exist. */
async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidError || error instanceof NotFoundError)
      throw new FailedLoginError("oauth1-invalid", { detail: error.message, cause: error });
    throw error;
  }
}
