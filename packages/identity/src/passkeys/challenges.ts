/**
 * Challenges of WebAuthn: unguessable, bound to a purpose and a user, short-lived, and valid once.
 *
 * A challenge carries its expiry and a code that only the service can make. To begin a ceremony therefore writes nothing, whichever
 * replica finishes it; the database records those that were used.
 */
import { createHmac, hkdfSync, timingSafeEqual, type KeyObject } from "node:crypto";

import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { randomBytes } from "../platform/ids.js";
import { isHeld } from "../platform/secrets/held-master-key.js";

export type ChallengePurpose = "register" | "login";

export interface Challenge {
  /** base64url, as in the options for the browser. */
  readonly text: string;
  readonly expiresAt: Moment;
}

/** What a challenge is valid for. */
export interface ChallengePlace {
  readonly purpose: ChallengePurpose;
  /** `undefined` where the passkey will name the user. */
  readonly userId: string | undefined;
}

/** Records the use of an id until it expires. @returns Whether it was not used before. */
export type UseOnce = (id: { readonly id: string; readonly expiresAt: Moment }) => Promise<boolean>;

export interface ChallengesDeps extends Pick<Platform, "clock" | "masterKey"> {
  readonly useOnce: UseOnce;
}

export type Challenges = ReturnType<typeof createChallenges>;

/** Longer than browsers wait for the user. */
export const CHALLENGE_LIFE_MS = 300_000;

const RANDOM_BYTES = 32;
const EXPIRY_BYTES = 6;
const CODE_BYTES = 32;

export function createChallenges({ clock, masterKey, useOnce }: ChallengesDeps) {
  // A ceremony may have begun before the master key was replaced.
  const keys = (): readonly KeyObject[] =>
    isHeld(masterKey) ? masterKey.keys.map(({ key }) => key) : [masterKey.key];

  return {
    issue(place: ChallengePlace): Challenge {
      const expiresAt = clock.now() + CHALLENGE_LIFE_MS;
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(Math.floor(expiresAt), 0, EXPIRY_BYTES);
      const content = Buffer.concat([randomBytes(RANDOM_BYTES), expiry]);
      const text = Buffer.concat([content, codeOf(masterKey.key, place, content)]).toString("base64url");
      return { text, expiresAt };
    },

    /** The challenge that a response answers; `undefined` if it is another one's, or has expired. */
    read(text: string, place: ChallengePlace): Challenge | undefined {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length !== RANDOM_BYTES + EXPIRY_BYTES + CODE_BYTES) return undefined;
      // Other spellings of the same bytes would count as other challenges.
      if (bytes.toString("base64url") !== text) return undefined;
      const content = bytes.subarray(0, RANDOM_BYTES + EXPIRY_BYTES);
      const code = bytes.subarray(RANDOM_BYTES + EXPIRY_BYTES);
      if (!keys().some((key) => timingSafeEqual(codeOf(key, place, content), code))) return undefined;
      const expiresAt = content.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES);
      return clock.now() < expiresAt ? { text, expiresAt } : undefined;
    },

    /** @returns Whether it was not used before. */
    use: ({ text, expiresAt }: Challenge): Promise<boolean> => useOnce({ id: text, expiresAt }),
  };
}

function codeOf(masterKey: KeyObject, { purpose, userId }: ChallengePlace, content: Buffer): Buffer {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "", "passkey-challenges", 32));
  return createHmac("sha256", key)
    .update(JSON.stringify([purpose, userId ?? null, content.toString("base64url")]))
    .digest();
}
