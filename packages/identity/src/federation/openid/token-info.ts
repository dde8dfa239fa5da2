/**
 * What Google says of an access token, in the place of introspection: whom it was issued to, and until when it is good.
 *
 * Its userinfo alone would not do: that answers to tokens of anybody's application, and so the makers of any application could
 * log in as its users.
 */
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

import type { OutgoingFetch } from "../../platform/outgoing/outgoing-requests.js";

/** Google says numbers and booleans as texts. */
const Answer = Type.Object({
  aud: Type.String({ minLength: 1 }),
  exp: Type.Union([Type.String({ pattern: "^[0-9]{1,12}$" }), Type.Integer()]),
  sub: Type.Optional(Type.String({ minLength: 1 })),
});

export interface TokenInfo extends Omit<Static<typeof Answer>, "exp"> {
  readonly exp: number;
  readonly [claim: string]: unknown;
}

export interface TokenInfoAddress {
  readonly url: string;
  readonly fetch: OutgoingFetch;
}

/** @throws The token is none of the provider's, is over, or the answer says too little of it. */
export async function askTokenInfo(token: string, { url, fetch }: TokenInfoAddress): Promise<TokenInfo> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
  });
  if (answer.status !== 200) throw new TypeError(`the provider answers with status ${answer.status}`);
  const claims: unknown = await answer.json();
  if (!Value.Check(Answer, claims)) throw new TypeError("the provider says too little of the token");
  return { ...claims, exp: Number(claims.exp) };
}
