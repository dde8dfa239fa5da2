/** From the text of a token to what it says, remembered: a client shows the same token again and again. */
import { decryptFernet } from "./fernet.js";
import type { SigningKeyRing } from "./signing-keys.js";
import { decodeTokenPayload, type TokenPayload } from "./token-payload.js";

/** Half a kilobyte each. */
const MAX_TOKENS = 5000;

/** What a text says that one of the keys has made; `undefined` for any other. */
export type TokenDecoder = (ring: SigningKeyRing, text: string) => TokenPayload | undefined;

export function createTokenDecoder(): TokenDecoder {
  let known = new Map<string, TokenPayload>();
  let knownBy: SigningKeyRing | undefined;
  return (ring, text) => {
    // Keys that are gone read nothing any more.
    if (ring !== knownBy) {
      known = new Map();
      knownBy = ring;
    }
    const payload = known.get(text) ?? decode(ring, text);
    if (payload === undefined) return undefined;
    const [oldest] = known.keys();
    if (known.size >= MAX_TOKENS && !known.has(text) && oldest !== undefined) known.delete(oldest);
    known.set(text, payload);
    return payload;
  };
}

function decode({ keys }: SigningKeyRing, text: string): TokenPayload | undefined {
  const decrypted = decryptFernet(keys, text);
  return decrypted && decodeTokenPayload(decrypted.payload);
}
