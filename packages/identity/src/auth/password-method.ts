/** Logging in with a name and a password. */
import { refusalOf, type PasswordLogin } from "./password-login.js";
import type { AuthMethod } from "./auth-methods.js";
import { readNamed } from "./scope-request.js";
import { LoginRefusedError, MissingPartError } from "../tokens/token-errors.js";

export function createPasswordMethod({
  passwordLogin,
}: {
  readonly passwordLogin: PasswordLogin;
}): AuthMethod {
  return {
    name: "password",
    async prove({ password: section }, { address }) {
      if (section?.user === undefined) throw new MissingPartError("user", "password");
      const user = readNamed(section.user, "identity/password/user");
      const { password } = section.user;
      if (password === undefined) throw new LoginRefusedError("the request has no password");
      const outcome = await passwordLogin.login({ user, password, address });
      if (outcome.kind !== "ok") throw refusalOf(outcome);
      const { user: who, position } = outcome;
      return { userId: who.id, methods: ["password"], position, isUserChecked: true };
    },
  };
}
