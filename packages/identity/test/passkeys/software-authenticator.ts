/**
 * An authenticator in software, which does what it is told: also what no browser would do.
 *
 * @see https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */
import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";

export interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** Of the authenticator data; user present, user verified, backup eligible and backed up by default. */
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly credentialId?: Buffer;
}

/** Options as the service sends them. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

const USER_PRESENT = 0x01;
export const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;
export const ALL_FLAGS = USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP;

export type SoftwareAuthenticator = ReturnType<typeof softwareAuthenticator>;

/** @param origin Of the page that asks. */
export function softwareAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle: string | undefined;

  function clientData(type: string, { challenge }: CeremonyOptions, given: Deviations): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: given.type ?? type,
        challenge: given.challenge ?? challenge,
        origin: given.origin ?? origin,
        crossOrigin: given.crossOrigin ?? false,
      }),
    );
  }

  function authenticatorData(rpId: string, flags: number, count: number, attested = Buffer.alloc(0)): Buffer {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(count);
    return Buffer.concat([
      createHash("sha256").update(rpId).digest(),
      Buffer.from([flags]),
      number,
      attested,
    ]);
  }

  function credential(credentialId: Buffer, response: object) {
    const text = credentialId.toString("base64url");
    return { id: text, rawId: text, type: "public-key", clientExtensionResults: {}, response };
  }

  return {
    id: id.toString("base64url"),

    /** `navigator.credentials.create()` */
    create(options: CeremonyOptions, given: Deviations = {}) {
      userHandle = options.user?.id;
      const credentialId = given.credentialId ?? id;
      const size = Buffer.alloc(2);
      size.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), size, credentialId, coseKey(publicKey)]);
      const flags = (given.flags ?? ALL_FLAGS) | ATTESTED;
      const authData = authenticatorData(
        given.rpId ?? options.rp?.id ?? "",
        flags,
        given.counter ?? counter,
        attested,
      );
      return credential(credentialId, {
        clientDataJSON: clientData("webauthn.create", options, given).toString("base64url"),
        attestationObject: Buffer.concat([
          // A map of fmt, attStmt and authData.
          Buffer.from([0xa3]),
          cborText("fmt"),
          cborText("none"),
          cborText("attStmt"),
          Buffer.from([0xa0]),
          cborText("authData"),
          cborBytes(authData),
        ]).toString("base64url"),
        transports: ["internal", "hybrid"],
      });
    },

    /** `navigator.credentials.get()` */
    get(options: CeremonyOptions, given: Deviations = {}) {
      counter += 1;
      const data = clientData("webauthn.get", options, given);
      const authData = authenticatorData(
        given.rpId ?? options.rpId ?? "",
        given.flags ?? ALL_FLAGS,
        given.counter ?? counter,
      );
      const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
      return credential(given.credentialId ?? id, {
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: createSign("sha256").update(signed).sign(privateKey).toString("base64url"),
        userHandle: given.userHandle === undefined ? userHandle : given.userHandle,
      });
    },
  };
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return Buffer.concat([
    // A map: kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), x, y.
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, "base64url")),
  ]);
}

const cborText = (text: string) => Buffer.concat([cborHead(0x60, text.length), Buffer.from(text)]);
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(0x40, bytes.length), bytes]);

function cborHead(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([type | length]);
  if (length < 256) return Buffer.from([type | 24, length]);
  return Buffer.from([type | 25, length >> 8, length & 0xff]);
}
