/**
 * Verification of what authenticators sign. The library that does it is imported by the first ceremony.
 *
 * @see https://www.w3.org/TR/webauthn-3/#sctn-rp-operations
 */
import { createHash } from "node:crypto";

import { quotedWords } from "../platform/text/quoted-value.js";
import type { AssertionResponse, Passkey, RegistrationResponse } from "./passkey.js";
import type { RelyingParty } from "./passkey-options.js";

/** Algorithms of COSE that passkeys may use: EdDSA, ES256, RS256. */
export const KEY_ALGORITHMS = [-8, -7, -257] as const;

/** Why a response is not accepted. */
export interface Fault {
  readonly fault: string;
}

export interface Ceremony {
  readonly rp: RelyingParty;
  /** The challenge that was issued. */
  readonly challenge: string;
}

/** The passkey that an authenticator has made. */
export type VerifiedRegistration = Pick<
  Passkey,
  "credentialId" | "publicKey" | "counter" | "isBackupEligible" | "isBackedUp"
>;

export type VerifiedSignature = Pick<Passkey, "counter" | "isBackedUp">;

/** What the browser says it has signed; nothing of it is verified. */
export interface ClientData {
  readonly challenge: string;
  readonly crossOrigin: boolean;
}

/** @returns `undefined` if the text is no client data. */
export function readClientData(clientDataJSON: string): ClientData | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    const { challenge, crossOrigin } = (data ?? {}) as Readonly<Record<string, unknown>>;
    return typeof challenge === "string" ? { challenge, crossOrigin: crossOrigin === true } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The user handle in passkeys: a digest, because an id may be too long for one.
 *
 * @see https://www.w3.org/TR/webauthn-3/#user-handle
 */
export function userHandleOf(userId: string): string {
  return createHash("sha256").update(`user ${userId}`).digest("base64url");
}

export async function verifyRegistration(
  { rp, challenge }: Ceremony,
  response: RegistrationResponse,
): Promise<VerifiedRegistration | Fault> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  return explained(async () => {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...asSent(response), response: withTransports(response) },
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...KEY_ALGORITHMS],
    });
    if (!verified) return { fault: "the attestation does not verify" };
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      isBackupEligible: credentialDeviceType === "multiDevice",
      isBackedUp: credentialBackedUp,
    };
  });
}

/** The counter is not compared: the caller does that where it is stored. */
export async function verifyAssertion(
  { rp, challenge }: Ceremony,
  response: AssertionResponse,
  { credentialId, publicKey }: Passkey,
): Promise<VerifiedSignature | Fault> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { userHandle, ...signed } = response.response;
  return explained(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...asSent(response),
        response: { ...signed, ...(typeof userHandle === "string" && { userHandle }) },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    if (!verified) return { fault: "invalid signature" };
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
  });
}

function asSent({ id, rawId, type }: RegistrationResponse | AssertionResponse) {
  return { id, rawId, type, clientExtensionResults: {} };
}

function withTransports({ response: { clientDataJSON, attestationObject } }: RegistrationResponse) {
  return { clientDataJSON, attestationObject };
}

const MAX_FAULT = 200;

/** The library throws what it rejects, with values of the request. */
async function explained<Result>(verify: () => Promise<Result>): Promise<Result | Fault> {
  try {
    return await verify();
  } catch (error) {
    return { fault: quotedWords(error instanceof Error ? error.message : String(error), MAX_FAULT) };
  }
}
