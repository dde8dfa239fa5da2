/**
 * Opens PKCS #12 files (RFC 7292), as TQSL and OpenSSL write them: 3DES, RC2 and AES with keys of a password.
 */
import { LoginError, ValueError } from "../../errors.js";
import { nodeCrypto, type PrivateKey } from "../../io/node-crypto.js";
import {
  childrenOf,
  derElement,
  derElements,
  integerOf,
  malformedDer,
  objectIdentifier,
  octetsOf,
  type DerElement,
} from "./der.js";
import { decryptRc2 } from "./rc2.js";

/** What a file holds. */
export interface Pkcs12Content {
  readonly key: PrivateKey;
  /** In DER. */
  readonly certificates: readonly Uint8Array[];
}

const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const KEY_BAG = "1.2.840.113549.1.12.10.1.1";
const SHROUDED_KEY_BAG = "1.2.840.113549.1.12.10.1.2";
const CERT_BAG = "1.2.840.113549.1.12.10.1.3";
const PBES2 = "1.2.840.113549.1.5.13";
/** A file asks for as many rounds of its key as it likes. */
const MAX_ITERATIONS = 10_000_000;

/**
 * Opens a file.
 *
 * @param password "" for none.
 * @throws {LoginError} The password is another.
 * @throws {ValueError} It is no PKCS #12 file, or has no key.
 */
export function openPkcs12(file: Uint8Array, password: string): Pkcs12Content {
  const [, authSafe, mac] = childrenOf(derElement(file));
  const [type, content] = childrenOf(authSafe);
  if (objectIdentifier(type) !== DATA) throw malformedDer();
  const safe = octetsOf(derElements(octetsOf(content))[0]);
  if (mac !== undefined && !verifyMac(mac, safe, password)) throw wrongPassword();
  let key: PrivateKey | undefined;
  const certificates: Uint8Array[] = [];
  for (const info of childrenOf(derElement(safe)))
    for (const bag of childrenOf(derElement(safeContents(info, password)))) {
      const [bagType, value] = childrenOf(bag);
      const bytes = octetsOf(value);
      const kind = objectIdentifier(bagType);
      if (kind === KEY_BAG || kind === SHROUDED_KEY_BAG) key ??= privateKey(bytes, password);
      if (kind === CERT_BAG) certificates.push(certificateIn(bytes));
    }
  if (key === undefined)
    throw new ValueError({ argument: "p12", value: "a file", expected: "a file with a private key" });
  return { key, certificates };
}

function wrongPassword(): LoginError {
  return new LoginError("the .p12 file", "the password does not open it");
}

function safeContents(info: DerElement, password: string): Uint8Array {
  const [type, content] = childrenOf(info);
  const inner = derElements(octetsOf(content))[0];
  if (objectIdentifier(type) === DATA) return octetsOf(inner);
  if (objectIdentifier(type) !== ENCRYPTED_DATA) throw malformedDer();
  const [, encrypted] = childrenOf(inner);
  const [, algorithm, data] = childrenOf(encrypted);
  return decrypt(algorithm, octetsOf(data), password);
}

function privateKey(bytes: Uint8Array, password: string): PrivateKey {
  const { createPrivateKey } = nodeCrypto();
  try {
    return createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8", passphrase: password });
  } catch (cause) {
    throw new LoginError("the .p12 file", "its key can't be opened", { cause });
  }
}

function certificateIn(bytes: Uint8Array): Uint8Array {
  const [, value] = childrenOf(derElement(bytes));
  return octetsOf(derElements(octetsOf(value))[0]);
}

/** Ciphers of PKCS #12 by the last number of 1.2.840.113549.1.12.1. */
const CIPHERS: Readonly<Record<string, { readonly keyLength: number; readonly rc2Bits?: number }>> = {
  "3": { keyLength: 24 },
  "5": { keyLength: 16, rc2Bits: 128 },
  "6": { keyLength: 5, rc2Bits: 40 },
};

function decrypt(algorithm: DerElement | undefined, data: Uint8Array, password: string): Uint8Array {
  const [oid, parameters] = childrenOf(algorithm);
  const name = objectIdentifier(oid);
  if (name === PBES2) return decryptPbes2(parameters, data, password);
  const cipher = name.startsWith("1.2.840.113549.1.12.1.") ? CIPHERS[name.slice(22)] : undefined;
  if (cipher === undefined)
    throw new ValueError({ argument: "p12", value: name, expected: "an encryption that is known" });
  const [salt, rounds] = childrenOf(parameters);
  const derive = (purpose: number, length: number) =>
    deriveKey(
      { hash: "sha1", purpose, length, salt: octetsOf(salt), iterations: iterationsOf(rounds) },
      password,
    );
  const [key, iv] = [derive(1, cipher.keyLength), derive(2, 8)];
  if (cipher.rc2Bits !== undefined) return decryptRc2(data, key, iv, cipher.rc2Bits);
  return decipher("des-ede3-cbc", { key, iv, data });
}

function iterationsOf(element: DerElement | undefined): number {
  const rounds = element === undefined ? 1 : integerOf(element);
  if (rounds < 1 || rounds > MAX_ITERATIONS) throw malformedDer();
  return rounds;
}

function decipher(
  name: string,
  { key, iv, data }: { readonly key: Uint8Array; readonly iv: Uint8Array; readonly data: Uint8Array },
): Uint8Array {
  const { createDecipheriv } = nodeCrypto();
  try {
    const cipher = createDecipheriv(name, key, iv);
    return Buffer.concat([cipher.update(data), cipher.final()]);
  } catch {
    throw wrongPassword();
  }
}

const HASHES: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
};
const AES: Readonly<Record<string, { readonly name: string; readonly keyLength: number }>> = {
  "2.16.840.1.101.3.4.1.2": { name: "aes-128-cbc", keyLength: 16 },
  "2.16.840.1.101.3.4.1.22": { name: "aes-192-cbc", keyLength: 24 },
  "2.16.840.1.101.3.4.1.42": { name: "aes-256-cbc", keyLength: 32 },
  "1.2.840.113549.3.7": { name: "des-ede3-cbc", keyLength: 24 },
};

/** RFC 8018: PBKDF2 and a cipher. */
function decryptPbes2(parameters: DerElement | undefined, data: Uint8Array, password: string): Uint8Array {
  const [derivation, scheme] = childrenOf(parameters);
  const [, kdf] = childrenOf(derivation);
  const [salt, rounds, ...others] = childrenOf(kdf);
  const prf = others.find(({ tag }) => tag === 0x30);
  const hash = prf === undefined ? "sha1" : HASHES[objectIdentifier(childrenOf(prf)[0])];
  const [cipherName, iv] = childrenOf(scheme);
  const cipher = AES[objectIdentifier(cipherName)];
  if (hash === undefined || cipher === undefined) throw malformedDer();
  const { pbkdf2Sync } = nodeCrypto();
  const key = pbkdf2Sync(password, octetsOf(salt), iterationsOf(rounds), cipher.keyLength, hash);
  return decipher(cipher.name, { key, iv: octetsOf(iv), data });
}

interface KeyDerivation {
  readonly hash: string;
  /** 1 for keys, 2 for initial values, 3 for the MAC. */
  readonly purpose: number;
  readonly length: number;
  readonly salt: Uint8Array;
  readonly iterations: number;
}

/** RFC 7292, appendix B.2. */
function deriveKey({ hash, purpose, length, salt, iterations }: KeyDerivation, password: string): Uint8Array {
  const { createHash } = nodeCrypto();
  const block = hash === "sha384" || hash === "sha512" ? 128 : 64;
  const filled = (bytes: Uint8Array) =>
    Uint8Array.from(
      { length: block * Math.ceil(bytes.length / block) },
      (_, index) => bytes[index % bytes.length] as number,
    );
  // UTF-16, the higher byte first, with a zero at the end.
  const text = Uint8Array.from({ length: 2 * password.length + 2 }, (_, index) =>
    index >= 2 * password.length ? 0 : (password.charCodeAt(index >> 1) >> (8 * (1 - (index & 1)))) & 255,
  );
  const input = Buffer.concat([filled(salt), filled(text)]);
  const diversifier = new Uint8Array(block).fill(purpose);
  const parts: Buffer[] = [];
  for (let have = 0; have < length;) {
    let digest = createHash(hash).update(diversifier).update(input).digest();
    for (let round = 1; round < iterations; round++) digest = createHash(hash).update(digest).digest();
    parts.push(digest);
    have += digest.length;
    for (let offset = 0; offset < input.length; offset += block)
      addOne(input.subarray(offset, offset + block), digest);
  }
  return Buffer.concat(parts).subarray(0, length);
}

/** The block, as a number, plus the repeated digest plus 1. */
function addOne(block: Uint8Array, digest: Uint8Array): void {
  let carry = 1;
  for (let index = block.length - 1; index >= 0; index--) {
    carry += (block[index] as number) + (digest[index % digest.length] as number);
    block[index] = carry & 255;
    carry >>= 8;
  }
}

const MAC_HASHES: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

function verifyMac(mac: DerElement, content: Uint8Array, password: string): boolean {
  const { createHmac, timingSafeEqual } = nodeCrypto();
  const [digestInfo, salt, rounds] = childrenOf(mac);
  const [algorithm, digest] = childrenOf(digestInfo);
  const hash = MAC_HASHES[objectIdentifier(childrenOf(algorithm)[0])];
  if (hash === undefined) throw malformedDer();
  const expected = octetsOf(digest);
  const key = deriveKey(
    { hash, purpose: 3, length: expected.length, salt: octetsOf(salt), iterations: iterationsOf(rounds) },
    password,
  );
  const found = createHmac(hash, key).update(content).digest();
  return found.length === expected.length && timingSafeEqual(found, expected);
}
