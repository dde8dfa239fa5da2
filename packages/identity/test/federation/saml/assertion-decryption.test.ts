/** Assertions encrypted as XML Encryption 1.1 defines, by Node's own ciphers. */
import {
  constants,
  createCipheriv,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  type CipherGCMTypes,
} from "node:crypto";

import { describe, expect, it } from "vitest";

import { decryptElement } from "../../../src/federation/protocols/saml2/assertion-decryption.js";
import { readMessage } from "../../../src/federation/protocols/saml2/xml-reading.js";

const XENC = "http://www.w3.org/2001/04/xmlenc#";
const XENC11 = "http://www.w3.org/2009/xmlenc11#";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const DSIG_MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const SHA256 = `${XENC}sha256`;
const PLAIN = "<Assertion>alice é</Assertion>";

const service = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("rsa", { modulusLength: 2048 });

interface Encryption {
  /** `EncryptionMethod` of the data. */
  readonly algorithm: string;
  readonly secret: Buffer;
  /** `CipherValue` of the data. */
  readonly bytes: Buffer;
  /** `EncryptionMethod` of the key, with the children. */
  readonly transport?: string;
  readonly children?: string;
  readonly oaepHash?: string;
  readonly padding?: number;
  readonly keyCount?: number;
}

function encryptedAssertion(parts: Encryption) {
  const { transport = `${XENC}rsa-oaep-mgf1p`, children = "", oaepHash = "sha1", keyCount = 1 } = parts;
  const { padding = constants.RSA_PKCS1_OAEP_PADDING } = parts;
  const wrapped = publicEncrypt({ key: service.publicKey, padding, oaepHash }, parts.secret);
  const value = (bytes: Buffer) =>
    `<CipherData><CipherValue>${bytes.toString("base64")}</CipherValue></CipherData>`;
  const key = `<EncryptedKey><EncryptionMethod Algorithm="${transport}">${children}</EncryptionMethod>${value(wrapped)}</EncryptedKey>`;
  const xml = `<EncryptedAssertion><EncryptedData xmlns="${XENC}"><EncryptionMethod Algorithm="${parts.algorithm}"/><KeyInfo xmlns="${DSIG}"/>${key.repeat(keyCount)}${value(parts.bytes)}</EncryptedData></EncryptedAssertion>`;
  return readMessage(xml);
}

const decrypted = (parts: Encryption) => decryptElement(encryptedAssertion(parts), [service.privateKey]);

function gcm(cipher: CipherGCMTypes, bits: number) {
  const [secret, nonce] = [randomBytes(bits / 8), randomBytes(12)];
  const sealing = createCipheriv(cipher, secret, nonce);
  const bytes = Buffer.concat([nonce, sealing.update(PLAIN), sealing.final(), sealing.getAuthTag()]);
  return { secret, bytes };
}

/** @param plain Its length is a multiple of the block's. */
function cbc(cipher: string, bits: number, block: number, plain: Buffer) {
  const [secret, vector] = [randomBytes(bits / 8), randomBytes(block)];
  const sealing = createCipheriv(cipher, secret, vector).setAutoPadding(false);
  return { secret, bytes: Buffer.concat([vector, sealing.update(plain), sealing.final()]) };
}

/** Section 5.2: arbitrary bytes, and the number of added bytes as the last. */
function padded(text: string, block: number): Buffer {
  const plain = Buffer.from(text);
  const count = block - (plain.length % block);
  return Buffer.concat([plain, randomBytes(count - 1), Buffer.from([count])]);
}

const MALFORMED = "assertion does not decrypt: its EncryptedData is malformed";

describe("an encrypted assertion", () => {
  it.each([128, 192, 256] as const)("is decrypted by AES-%i in GCM", (bits) => {
    expect(decrypted({ algorithm: `${XENC11}aes${bits}-gcm`, ...gcm(`aes-${bits}-gcm`, bits) })).toBe(PLAIN);
  });

  it.each([
    ["aes128-cbc", "aes-128-cbc", 128, 16],
    ["aes192-cbc", "aes-192-cbc", 192, 16],
    ["aes256-cbc", "aes-256-cbc", 256, 16],
    ["tripledes-cbc", "des-ede3-cbc", 192, 8],
  ] as const)("is decrypted by %s, whatever the length of its padding", (name, cipher, bits, block) => {
    for (let length = 0; length < block; length++) {
      const text = PLAIN + "x".repeat(length);
      const parts = cbc(cipher, bits, block, padded(text, block));
      expect(decrypted({ algorithm: XENC + name, ...parts })).toBe(text);
    }
  });

  it.each([
    [`${XENC}rsa-oaep-mgf1p`, "", "sha1"],
    [`${XENC}rsa-oaep-mgf1p`, `<DigestMethod xmlns="${DSIG}" Algorithm="${DSIG}sha1"/>`, "sha1"],
    [`${XENC11}rsa-oaep`, "", "sha1"],
    [
      `${XENC11}rsa-oaep`,
      `<DigestMethod xmlns="${DSIG}" Algorithm="${SHA256}"/><MGF xmlns="${XENC11}" Algorithm="${XENC11}mgf1sha256"/>`,
      "sha256",
    ],
    [
      `${XENC11}rsa-oaep`,
      `<DigestMethod xmlns="${DSIG}" Algorithm="${DSIG_MORE}sha384"/><MGF xmlns="${XENC11}" Algorithm="${XENC11}mgf1sha384"/>`,
      "sha384",
    ],
    [
      `${XENC11}rsa-oaep`,
      `<DigestMethod xmlns="${DSIG}" Algorithm="${XENC}sha512"/><MGF xmlns="${XENC11}" Algorithm="${XENC11}mgf1sha512"/>`,
      "sha512",
    ],
  ])("has a key encrypted by %s with %s", (transport, children, oaepHash) => {
    const parts = gcm("aes-256-gcm", 256);
    const algorithm = `${XENC11}aes256-gcm`;
    expect(decrypted({ algorithm, ...parts, transport, children, oaepHash })).toBe(PLAIN);
  });

  it.each([
    ["PKCS #1 v1.5", { transport: `${XENC}rsa-1_5`, padding: constants.RSA_PKCS1_PADDING }],
    [
      "OAEP under the name of PKCS #1 v1.5",
      { transport: `${XENC}rsa-1_5`, padding: constants.RSA_PKCS1_OAEP_PADDING },
    ],
    [
      "OAEP with another digest than the older algorithm has",
      { oaepHash: "sha256", children: `<DigestMethod xmlns="${DSIG}" Algorithm="${SHA256}"/>` },
    ],
    [
      "OAEP with two hashes",
      {
        transport: `${XENC11}rsa-oaep`,
        oaepHash: "sha256",
        children: `<DigestMethod xmlns="${DSIG}" Algorithm="${SHA256}"/>`,
      },
    ],
  ])("is refused if its key is encrypted by %s", (_what, parts) => {
    const data = { algorithm: `${XENC11}aes256-gcm`, ...gcm("aes-256-gcm", 256) };
    expect(() => decrypted({ ...data, ...parts })).toThrow(
      /encrypted to a key that this service does not have, or by an algorithm that is not accepted/,
    );
  });

  it("tries at most 8 keys, each with all of the service's", () => {
    const data = { algorithm: `${XENC11}aes256-gcm`, ...gcm("aes-256-gcm", 256) };
    const keys = [other.privateKey, service.privateKey];
    expect(decryptElement(encryptedAssertion({ ...data, keyCount: 8 }), keys)).toBe(PLAIN);
    expect(() => decrypted({ ...data, keyCount: 9 })).toThrow("9 EncryptedKey elements, expected at most 8");
    expect(() => decryptElement(encryptedAssertion(data), [other.privateKey])).toThrow(
      /a key that this service does not have/,
    );
  });

  it("is refused if its cipher is not accepted", () => {
    const { secret, bytes } = gcm("aes-256-gcm", 256);
    expect(() => decrypted({ algorithm: `${XENC}kw-aes256`, secret, bytes })).toThrow(
      "cipher of EncryptedData is not accepted, expected AES or triple DES",
    );
  });

  it("is refused if its authentication tag does not match, or is cut off", () => {
    const algorithm = `${XENC11}aes256-gcm`;
    const { secret, bytes } = gcm("aes-256-gcm", 256);
    const changed = Buffer.from(bytes);
    changed[20] = (changed[20] ?? 0) ^ 1;
    const shortened = [...Array.from({ length: 28 }).keys(), bytes.length - 1].map((length) =>
      bytes.subarray(0, length),
    );
    for (const wrong of [changed, ...shortened])
      expect(() => decrypted({ algorithm, secret, bytes: wrong })).toThrow(MALFORMED);
  });

  it.each([0, 17, 255])("is refused if its padding claims %i bytes", (count) => {
    const block = Buffer.concat([randomBytes(31), Buffer.from([count])]);
    const parts = cbc("aes-128-cbc", 128, 16, block);
    expect(() => decrypted({ algorithm: `${XENC}aes128-cbc`, ...parts })).toThrow(MALFORMED);
  });

  it("is refused without a block behind the initialization vector", () => {
    const parts = cbc("aes-128-cbc", 128, 16, Buffer.alloc(0));
    expect(() => decrypted({ algorithm: `${XENC}aes128-cbc`, ...parts })).toThrow(MALFORMED);
  });

  it("is refused if it is no UTF-8", () => {
    const block = Buffer.concat([Buffer.alloc(15, 0xff), Buffer.from([1])]);
    const parts = cbc("aes-128-cbc", 128, 16, block);
    expect(() => decrypted({ algorithm: `${XENC}aes128-cbc`, ...parts })).toThrow(MALFORMED);
  });
});
