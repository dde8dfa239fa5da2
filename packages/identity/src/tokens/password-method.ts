/** Logging in with a name and a password. */
import { TooManyError } from "../platform/errors.js";
import type { LoginLimiter } from "../platform/rate-limit.js";
import type { AuthMethod } from "./auth-methods.js";
import { readNamed, type NamedReference } from "./scope-request.js";
import { LoginRefusedError, MissingPartError } from "./token-errors.js";

/** What comes of a name and a password: the users' part knows. */
export type PasswordVerdict =
  | { readonly kind: "ok"; readonly user: { readonly id: string } }
  /** Why not is for the log. */
  | { readonly kind: "refused"; readonly reason: string };

export interface PasswordMethodDeps {
  readonly login: (attempt: {
    readonly user: NamedReference;
    readonly password: string;
  }) => Promise<PasswordVerdict>;
  /** Left out where logins are not limited. */
  readonly limiter?: LoginLimiter | undefined;
}

export function createPasswordMethod({ login, limiter }: PasswordMethodDeps): AuthMethod {
  return {
    name: "password",
    async prove({ password: section }, { address }) {
      if (section?.user === undefined) throw new MissingPartError("user", "password");
      const user = readNamed(section.user, "identity/password/user");
      const { password } = section.user;
      if (password === undefined) throw new LoginRefusedError("the request has no password");
      const attempt = { account: JSON.stringify(user), address };
      const verdict = await limiter?.take(attempt);
      if (verdict?.isAllowed === false)
        throw new TooManyError("Too many logins. Please try again later.", {
          retryAfterSeconds: verdict.retryAfterSeconds,
        });
      const outcome = await login({ user, password });
      if (outcome.kind === "refused") throw new LoginRefusedError(outcome.reason);
      await limiter?.giveBack(attempt);
      return { userId: outcome.user.id, methods: ["password"] };
    },
  };
}
