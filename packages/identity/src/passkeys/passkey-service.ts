/** The rules for passkeys: registering, naming and deleting them, and what a login needs of them. */
import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/table.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { findShadowUser } from "../users/federated/shadow-user-store.js";
import { isMirror, type User } from "../users/user-store.js";
import type { Challenge, Challenges, ChallengePlace } from "./challenges.js";
import {
  deletePasskey,
  deletePasskeysOf,
  findByCredential,
  insertPasskey,
  listPasskeys,
  PasskeyExistsError,
  PasskeyLimitError,
  PasskeyRefusedError,
  passkeysOf,
  PasskeysUnusableError,
  recordUse,
  requirePasskey,
  ShadowUserPasskeyError,
  updatePasskey,
  type AssertionResponse,
  type Passkey,
  type PasskeyDraft,
  type PasskeyUse,
} from "./passkey.js";
import type { RelyingParty } from "./passkey-options.js";
import {
  KEY_ALGORITHMS,
  readClientData,
  userHandleOf,
  verifyAssertion,
  verifyRegistration,
  type Fault,
  type VerifiedSignature,
} from "./verification.js";

export interface PasskeyServiceDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly rp: RelyingParty;
  readonly challenges: Challenges;
  readonly users: {
    /** @throws {NotFoundError} */
    getUser(id: string): Promise<User>;
  };
  readonly revokeTokens: RevokeTokens;
}

/** A passkey of a user. */
export type PasskeyKey = Pick<Passkey, "id" | "userId">;

/** Options for the browser, as `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take them. */
export interface CeremonyOptions {
  readonly options: Readonly<Record<string, unknown>>;
  readonly expiresAt: Moment;
}

/** An assertion whose signature is that of a passkey. Its challenge is not used yet. */
export interface ProvenAssertion extends VerifiedSignature {
  readonly challenge: Challenge;
}

/** Why an assertion is rejected, as a reason of logins. */
export interface AssertionFault extends Fault {
  readonly reason: "passkey-challenge" | "passkey-invalid";
}

export type PasskeyService = ReturnType<typeof createPasskeyService>;

/** Of one user. */
export const MAX_PASSKEYS = 20;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;
/** How long browsers wait for the user: less than a challenge lives. */
const TIMEOUT_MS = 240_000;
const TRANSPORT = /^[a-z-]+$/;

export function createPasskeyService(deps: PasskeyServiceDeps) {
  const { database, clock, newId, rp, challenges, users, revokeTokens } = deps;

  /** @throws {PasskeysUnusableError} */
  function requireUsable(): void {
    if (rp.fault !== undefined) throw new PasskeysUnusableError(rp.fault);
  }

  /** @throws {NotFoundError} {@link ShadowUserPasskeyError} */
  async function requireOwner(userId: string): Promise<User> {
    const user = await users.getUser(userId);
    const isShadow = (await findShadowUser(database, userId)) !== undefined;
    if (isShadow && !(await isMirror(database, userId))) throw new ShadowUserPasskeyError();
    return user;
  }

  return {
    rp,

    list: (userId: string, query: ListQuery<never>): Promise<Passkey[]> =>
      listPasskeys(database, userId, query),

    /** @throws {PasskeysUnusableError} {@link ShadowUserPasskeyError} {@link PasskeyLimitError} */
    async beginRegistration(userId: string): Promise<CeremonyOptions> {
      requireUsable();
      const { name } = await requireOwner(userId);
      const present = await requireRoom(database, userId);
      const { text: challenge, expiresAt } = challenges.issue({ purpose: "register", userId });
      const options = {
        rp: { id: rp.id, name: rp.id },
        user: { id: userHandleOf(userId), name, displayName: name },
        challenge,
        pubKeyCredParams: KEY_ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
        timeout: TIMEOUT_MS,
        excludeCredentials: present.map(descriptorOf),
        // Signs in alone, and without a user name.
        authenticatorSelection: {
          residentKey: "required",
          requireResidentKey: true,
          userVerification: "required",
        },
        attestation: "none",
      };
      return { options, expiresAt };
    },

    /** @throws {PasskeyRefusedError} {@link PasskeyExistsError} {@link PasskeyLimitError} {@link ShadowUserPasskeyError} */
    async register(userId: string, { name, credential }: PasskeyDraft): Promise<Passkey> {
      requireUsable();
      await requireOwner(userId);
      const { clientDataJSON, transports = [] } = credential.response;
      const client = readClientData(clientDataJSON);
      const challenge = challenges.read(client?.challenge ?? "", { purpose: "register", userId });
      if (client === undefined || challenge === undefined)
        throw new PasskeyRefusedError("its challenge is another one's, or has expired");
      if (client.crossOrigin) throw new PasskeyRefusedError("it was made in a frame of another site");
      const verified = await verifyRegistration({ rp, challenge: challenge.text }, credential);
      if ("fault" in verified) throw new PasskeyRefusedError(verified.fault);
      if (!(await challenges.use(challenge))) throw new PasskeyRefusedError("its challenge was used before");
      const passkey: Passkey = {
        id: newId(),
        ...verified,
        userId,
        name: name.trim(),
        transports: [...new Set(transports.filter((each) => TRANSPORT.test(each)))],
        createdAt: clock.now(),
        lastUsedAt: null,
      };
      await database.transaction(async (transaction) => {
        await requireRoom(transaction, userId);
        await insertPasskey(transaction, passkey, () => new PasskeyExistsError());
      }, UNCACHED);
      return passkey;
    },

    /** @throws {PasskeyNotFoundError} */
    rename: (key: PasskeyKey, name: string): Promise<Passkey> =>
      database.transaction(async (transaction) => {
        const passkey = { ...(await requirePasskey(transaction, key)), name: name.trim() };
        await updatePasskey(transaction, passkey);
        return passkey;
      }, UNCACHED),

    /** @throws {PasskeyNotFoundError} */
    delete: (key: PasskeyKey): Promise<void> =>
      database.transaction(async (transaction) => {
        await requirePasskey(transaction, key);
        await deletePasskey(transaction, key.id);
      }, UNCACHED),

    /**
     * Deletes all passkeys of a user, and revokes its tokens: one of them may have been stolen.
     *
     * @throws {NotFoundError} The user does not exist.
     */
    async reset(userId: string): Promise<void> {
      await users.getUser(userId);
      await database.transaction(
        async (transaction) => {
          await deletePasskeysOf(transaction, userId);
          await revokeTokens(transaction, { userId });
        },
        { changes: ["facts", "revocations"] },
      );
    },

    /**
     * @param userId The user that an earlier factor has proved; `undefined` where the passkey will name it: the answer is then the same
     *   for everyone.
     * @throws {PasskeysUnusableError}
     */
    async beginLogin(userId: string | undefined): Promise<CeremonyOptions> {
      requireUsable();
      const allowed = userId === undefined ? [] : await passkeysOf(database, userId);
      const { text: challenge, expiresAt } = challenges.issue({ purpose: "login", userId });
      const options = {
        rpId: rp.id,
        challenge,
        timeout: TIMEOUT_MS,
        allowCredentials: allowed.map(descriptorOf),
        userVerification: "required",
      };
      return { options, expiresAt };
    },

    findByCredential: (credentialId: string): Promise<Passkey | undefined> =>
      findByCredential(database, credentialId),

    /** Verifies the assertion of a passkey. Its challenge was issued for anyone, or for the passkey's user. */
    async verify(passkey: Passkey, assertion: AssertionResponse): Promise<ProvenAssertion | AssertionFault> {
      const { clientDataJSON, userHandle } = assertion.response;
      const client = readClientData(clientDataJSON);
      const places: ChallengePlace[] = [
        { purpose: "login", userId: undefined },
        { purpose: "login", userId: passkey.userId },
      ];
      const challenge = places
        .map((place) => challenges.read(client?.challenge ?? "", place))
        .find((each) => each !== undefined);
      if (challenge === undefined)
        return { reason: "passkey-challenge", fault: "its challenge is another user's, or has expired" };
      if (client?.crossOrigin === true) return invalid("it was made in a frame of another site");
      if (typeof userHandle === "string" && userHandle !== userHandleOf(passkey.userId))
        return invalid("its user handle is another user's");
      const verified = await verifyAssertion({ rp, challenge: challenge.text }, assertion, passkey);
      return "fault" in verified ? invalid(verified.fault) : { ...verified, challenge };
    },

    /** Uses the challenge of a verified assertion. @returns Whether it was not used before. */
    useChallenge: ({ challenge }: ProvenAssertion): Promise<boolean> => challenges.use(challenge),

    /** Records a login. @returns Whether the counter of the passkey has risen, if it has one. */
    recordUse: (transaction: Queries, use: PasskeyUse): Promise<boolean> => recordUse(transaction, use),
  };
}

/** @throws {PasskeyLimitError} */
async function requireRoom(queries: Queries, userId: string): Promise<readonly Passkey[]> {
  const present = await passkeysOf(queries, userId);
  if (present.length >= MAX_PASSKEYS) throw new PasskeyLimitError(MAX_PASSKEYS);
  return present;
}

function invalid(fault: string): AssertionFault {
  return { reason: "passkey-invalid", fault };
}

function descriptorOf({ credentialId, transports }: Passkey) {
  return { type: "public-key", id: credentialId, transports };
}
