/** The cookie of a session in the console. */
import { cookiesOf } from "../platform/http/cookies.js";
import type { ConsoleAddress } from "./console-address.js";

export interface ConsoleCookie {
  /** The secret in a request's `Cookie` header. */
  read(header: string | undefined): string | undefined;
  /** A value of `Set-Cookie`. */
  set(secret: string, lifeSeconds: number): string;
  /** The value of `Set-Cookie` that removes it. */
  clear(): string;
}

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

/**
 * Browsers accept the prefix `__Host-` from this host only, over HTTPS and with `Path=/`: neither another host of the domain nor a page
 * over HTTP can plant a session. `SameSite=Lax` has them send it when a provider sends the user back.
 */
export function createConsoleCookie({ isSecure }: Pick<ConsoleAddress, "isSecure">): ConsoleCookie {
  const name = isSecure ? "__Host-console" : "console";
  const write = (secret: string, lifeSeconds: number) =>
    [
      `${name}=${secret}`,
      "Path=/",
      `Max-Age=${lifeSeconds}`,
      "HttpOnly",
      ...(isSecure ? ["Secure"] : []),
      "SameSite=Lax",
    ].join("; ");
  return {
    read(header) {
      const found = cookiesOf(header).find(([each]) => each === name)?.[1];
      return found !== undefined && SECRET.test(found) ? found : undefined;
    },
    set: write,
    clear: () => write("", 0),
  };
}
