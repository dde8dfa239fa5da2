/** Passkeys in the browser: what it can do, its ceremonies, and why they failed in words. The library is loaded by the first one. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";

import { api, ask, askConsole } from "../api/client.ts";

/** Why passkeys can't be used; `undefined` if they can. */
export async function passkeyFault(): Promise<string | undefined> {
  if (globalThis.PublicKeyCredential === undefined)
    return "This browser has no passkeys, or none at this address.";
  const { has_passkeys: isOffered } = await askConsole<{ has_passkeys: boolean }>("/providers");
  return isOffered
    ? undefined
    : "Passkeys need a host name and HTTPS: the service has neither at this address, or is set up for another one.";
}

/** Has the browser make a passkey of the user. @throws {Error} The user cancelled, or the browser refused. */
export async function makePasskey(userId: string): Promise<RegistrationResponseJSON> {
  const { options } = await ask(
    api.POST("/v3/users/{user_id}/passkeys/options", { params: { path: { user_id: userId } } }),
  );
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return inWords(() => startRegistration({ optionsJSON }));
}

/** The member `auth` of a login with a passkey: one of the user whose login is unfinished, if there is one. @throws {Error} */
export async function passkeyLogin(): Promise<object> {
  const { options } = await ask(api.POST("/v3/auth/webauthn/options", {}));
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const assertion: AuthenticationResponseJSON = await inWords(() => startAuthentication({ optionsJSON }));
  return { identity: { methods: ["webauthn"], webauthn: { assertion } } };
}

/** What browsers call it, and what it means. */
const WORDS: Readonly<Record<string, string>> = {
  NotAllowedError: "The browser got no answer: it was cancelled, took too long, or has no passkey for this.",
  InvalidStateError: "This device has a passkey of yours already.",
  SecurityError: "The browser refuses passkeys at this address.",
  NotSupportedError: "The browser or the device doesn't support such passkeys.",
  ConstraintError: "The device can't verify you by PIN, fingerprint or face.",
};

async function inWords<Result>(ceremony: () => Promise<Result>): Promise<Result> {
  try {
    return await ceremony();
  } catch (cause) {
    const { name, message } = cause as Error;
    throw new Error(WORDS[name] ?? message, { cause });
  }
}
