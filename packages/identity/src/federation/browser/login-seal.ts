/**
 * What a browser carries of a login while it is at a provider: text that it can neither read nor make.
 *
 * Each login has a key of its own, of the master key and its id. So a text is good for that login alone, and however many are
 * begun, none of their keys seals twice.
 */
import { hkdfSync } from "node:crypto";

import type { Moment } from "../../platform/clock.js";
import {
  openSecret,
  SealError,
  sealSecret,
  toMasterKey,
  type MasterKey,
} from "../../platform/secrets/sealing.js";

/** Whose text it is. */
interface Login {
  readonly kind: string;
  readonly id: string;
}

/** @param data Anything that JSON holds. */
export function sealLogin(
  masterKey: MasterKey,
  { expiresAt, ...login }: Login & { readonly expiresAt: Moment },
  data: unknown,
): string {
  const text = JSON.stringify([expiresAt, data]);
  return sealSecret(keyOf(masterKey, login), Buffer.from(text), PLACE).toString("base64url");
}

/** What was sealed; `undefined` where the text is of another login, or has expired. */
export function openLogin(
  masterKey: MasterKey,
  { carried, now, ...login }: Login & { readonly carried: string; readonly now: Moment },
): unknown {
  const sealed = Buffer.from(carried, "base64url");
  // What is no base64url is passed over by the decoder: with anything else in it the text would still open.
  if (sealed.toString("base64url") !== carried) return undefined;
  try {
    const text = openSecret(keyOf(masterKey, login), sealed, PLACE).toString();
    const [expiresAt, data] = JSON.parse(text) as [Moment, unknown];
    return now < expiresAt ? data : undefined;
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

const PLACE = "login";

function keyOf({ key }: MasterKey, { kind, id }: Login): MasterKey {
  return toMasterKey(new Uint8Array(hkdfSync("sha256", key, id, `login/${kind}`, 32)));
}
