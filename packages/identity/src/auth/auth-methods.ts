/** Ways to prove who one is. Each login names one or several of them, all of which have to be the same user. */
import type { FastifyRequest } from "fastify";

import type { Moment } from "../platform/clock.js";
import type { Auth } from "./auth-schema.js";
import { AuthMethodError, LoginRefusedError, MissingPartError } from "../tokens/token-errors.js";
import type { TokenFederation } from "../tokens/token-payload.js";

/** Who somebody has proved to be. */
export interface Proof {
  readonly userId: string;
  /** What the token will say about how: the method, and those of a token that was shown. */
  readonly methods: readonly string[];
  /**
   * The revocation position at which the proof was read, or any before: whatever ends tokens later ends the token too, also while
   * it is being made. A token that is shown gives its own.
   */
  readonly position: number;
  /** Whether it was checked at that position too that the user is there and enabled; otherwise the token's facts decide. */
  readonly isUserChecked: boolean;
  /** When it ends at the latest, where it rests on something that ends. */
  readonly expiresAt?: Moment;
  /** When the first of its methods was proved, where that was in an earlier request. */
  readonly begunAt?: Moment;
  /** The chain of tokens that it goes on with. */
  readonly auditChainId?: string;
  readonly federation?: TokenFederation;
}

/** Where a login comes from. */
export interface LoginSource {
  readonly address: string;
  /** The request itself, for those who are vouched for by whoever forwards it. */
  readonly request: Pick<FastifyRequest, "headers" | "log" | "raw" | "socket">;
}

/** The methods on offer at `/v3/auth/tokens`. */
export const METHOD_NAMES = ["password", "token", "mapped", "openid", "saml2"] as const;

export interface AuthMethod {
  /** As `methods` names it. */
  readonly name: string;
  /**
   * @param identity The member `identity` of the request. The method's own member of it is there.
   * @throws {LoginRefusedError} It is no proof.
   */
  prove(identity: Auth["identity"], source: LoginSource): Promise<Proof>;
}

/**
 * Who all the methods of a login prove somebody to be.
 *
 * @throws {AuthMethodError} One of them is none of these.
 * @throws {MissingPartError} The request has nothing for one of them.
 * @throws {LoginRefusedError} There are none, one is no proof, or they are of different users.
 */
export async function proveAll(
  methods: readonly AuthMethod[],
  identity: Auth["identity"],
  source: LoginSource,
): Promise<Proof> {
  const asked = [...new Set(identity.methods)].map((name) => {
    const method = methods.find((each) => each.name === name);
    if (method === undefined) throw new AuthMethodError(methods.map((each) => each.name));
    if (!(name in identity)) throw new MissingPartError(name, "identity");
    return method;
  });
  const proofs: Proof[] = [];
  for (const method of asked) proofs.push(await method.prove(identity, source));
  return combineProofs(proofs);
}

/**
 * Proofs of one user as one, which is as old as the oldest of them and ends with the first.
 *
 * @throws {LoginRefusedError} There are none, or they are of different users.
 */
export function combineProofs(proofs: readonly Proof[]): Proof {
  const [first] = proofs;
  if (first === undefined) throw new LoginRefusedError("the request names no methods");
  if (proofs.some(({ userId }) => userId !== first.userId))
    throw new LoginRefusedError("the methods are of different users");
  const ends = proofs.flatMap(({ expiresAt }) => expiresAt ?? []);
  return {
    ...Object.assign({}, ...proofs),
    methods: [...new Set(proofs.flatMap(({ methods }) => methods))],
    ...(ends.length > 0 && { expiresAt: Math.min(...ends) }),
    position: Math.min(...proofs.map(({ position }) => position)),
    isUserChecked: proofs.some(({ isUserChecked }) => isUserChecked),
  } as Proof;
}
