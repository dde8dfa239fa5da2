/**
 * Wraps the master key by an AES key of a PKCS#11 token, in the mode GCM and bound to the id of the master key.
 *
 * GCM and no other mechanism: with RSA everyone who has the public half, and with CBC everyone who once had a wrapped key and what it
 * wraps, could put a master key of their own into the database.
 *
 * @see NIST SP 800-38D.
 */
import { randomBytes } from "node:crypto";

import { checkedWrappingKey, KeySourceError, type KeyWrapper } from "../key-wrapper.js";
import type { Pkcs11Settings } from "./pkcs11-options.js";
import { allocate, exactBuffer, readWords } from "./cryptoki.js";
import { createTokenSessions, type TokenSession } from "./token-session.js";

const AES_GCM = 0x1087;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^gcm:([A-Za-z0-9+/]{16}):([A-Za-z0-9+/=]{24,2000})$/;
/** Attributes: whether the key can leave the token. */
const SENSITIVE = 0x103;
const EXTRACTABLE = 0x162;

export function createPkcs11Wrapper(settings: Pkcs11Settings & { readonly module: string }): KeyWrapper {
  const token = createTokenSessions(settings);
  const { title } = token;

  return {
    kind: "pkcs11",
    title,

    async wrap(bytes, keyId) {
      const nonce = exactBuffer(randomBytes(NONCE_BYTES));
      const content = await token.use((session) =>
        crypt(session, { action: "Encrypt", label: settings.key, nonce, keyId, input: exactBuffer(bytes) }),
      );
      // Some tokens choose a nonce of their own, and return it in its place.
      const wrapped = `gcm:${nonce.toString("base64")}:${content.toString("base64")}`;
      return { keyId, source: "pkcs11", wrappingKey: settings.key, wrapped };
    },

    async unwrap(key) {
      const [, nonce = "", content = ""] = FORM.exec(key.wrapped) ?? [];
      if (nonce === "")
        throw new KeySourceError(
          "master-key/source-refused",
          `${title}: the wrapped key in the database is not of the form gcm:NONCE:TEXT`,
        );
      const label = checkedWrappingKey(key);
      const given = {
        nonce: exactBuffer(Buffer.from(nonce, "base64")),
        input: exactBuffer(Buffer.from(content, "base64")),
      };
      return token.use((session) => crypt(session, { action: "Decrypt", label, keyId: key.keyId, ...given }));
    },

    async examine(key) {
      const label = checkedWrappingKey(key);
      const { isSensitive, isExtractable } = await token.use(async (session) => ({
        isSensitive: await readFlag(session, label, SENSITIVE),
        isExtractable: await readFlag(session, label, EXTRACTABLE),
      }));
      return isSensitive && !isExtractable
        ? []
        : [
            `the key "${label}" can leave the token: create one that is sensitive and not extractable, and run hamkit-identity keys rewrap`,
          ];
    },

    restMs: () => Infinity,
  };
}

interface Crypt {
  readonly action: "Encrypt" | "Decrypt";
  readonly label: string;
  readonly nonce: Buffer;
  readonly keyId: string;
  readonly input: Buffer;
}

async function crypt(session: TokenSession, { action, label, nonce, keyId, input }: Crypt): Promise<Buffer> {
  const { cryptoki, handle } = session;
  const key = await session.findKey(label);
  const bound = exactBuffer(`hamkit-identity master key ${keyId}`);
  const gcm = cryptoki.words(nonce, nonce.length, nonce.length * 8, bound, bound.length, TAG_BYTES * 8);
  const mechanism = cryptoki.words(AES_GCM, gcm, gcm.length);
  await session.call(`C_${action}Init`, handle, mechanism, key);
  const output = allocate(input.length + TAG_BYTES);
  const length = cryptoki.words(output.length);
  await session.call(`C_${action}`, handle, input, input.length, output, length);
  return output.subarray(0, readWords(length)[0]);
}

async function readFlag(session: TokenSession, label: string, type: number): Promise<boolean> {
  const value = allocate(1);
  const attribute = session.cryptoki.words(type, value, value.length);
  await session.call("C_GetAttributeValue", session.handle, await session.findKey(label), attribute, 1);
  return value[0] === 1;
}
