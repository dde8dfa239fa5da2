/** Logging in with a name and a password. */
import { TooManyError } from "../platform/errors.js";
import type { LoginLimiter } from "../platform/rate-limit.js";
import { refusalOf, type PasswordLogin } from "../users/password-login.js";
import type { AuthMethod } from "./auth-methods.js";
import { readNamed } from "./scope-request.js";
import { LoginRefusedError, MissingPartError } from "./token-errors.js";

export interface PasswordMethodDeps {
  readonly passwordLogin: PasswordLogin;
  /** Left out where logins are not limited. */
  readonly limiter?: LoginLimiter | undefined;
}

export function createPasswordMethod({ passwordLogin, limiter }: PasswordMethodDeps): AuthMethod {
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
      const outcome = await passwordLogin.login({ user, password });
      if (outcome.kind !== "ok") throw refusalOf(outcome);
      await limiter?.giveBack(attempt);
      return { userId: outcome.user.id, methods: ["password"] };
    },
  };
}
