/**
 * Login by application credential, which is for one project.
 *
 * A client learns only whether a secret is right: an unknown credential takes as long as a wrong secret. Whether the user, project and
 * credential are valid is checked with the facts of the token.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import type { Revocations } from "../../tokens/revocations.js";
import type { ApplicationCredentialReference } from "../../application-credentials/application-credential-service.js";
import type { ApplicationCredential } from "../../application-credentials/application-credential.js";
import type { Platform } from "../../area.js";
import type { PasswordHasher } from "../../passwords/password-hash.js";
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { AttemptResult } from "../../platform/login-throttling/admission.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import { exactName, findAccount, type AccountDirectories } from "../../users/account-store.js";
import { FailedLoginError, MissingPartError } from "../auth-errors.js";
import type { AuthMethod, Proof } from "../auth-methods.js";
import { readNamed, type Auth } from "../login-request.js";

export interface ApplicationCredentialMethodDeps extends Pick<Platform, "database"> {
  readonly applicationCredentials: {
    readonly find: (reference: ApplicationCredentialReference) => Promise<ApplicationCredential | undefined>;
  };
  readonly hasher: Pick<PasswordHasher, "verify">;
  readonly revocations: Pick<Revocations, "known">;
  /** Left out if logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitPassword"> | undefined;
  /** None, if left out. */
  readonly directories?: AccountDirectories | undefined;
}

/** Cached credentials, by how logins name them. */
const MAX_CREDENTIALS = 10_000;
const METHOD = "application_credential";
/** In messages, as Keystone writes it. */
const SECTION = "application credential";

type Section = NonNullable<Auth["identity"][typeof METHOD]>;

export function createApplicationCredentialMethod(deps: ApplicationCredentialMethodDeps): AuthMethod {
  const { database, applicationCredentials, hasher, revocations, throttle, directories } = deps;
  const verify = createVerifiedSecrets({ hasher });
  const credentials = createRevisionCache<ApplicationCredential | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CREDENTIALS,
    // A missing credential may be created without a notice.
    keeps: (credential) => credential !== undefined,
  });

  /** @param admit Called before a directory is asked for the user. */
  async function find(
    { id, name, user }: Section,
    admit: () => Promise<void>,
  ): Promise<ApplicationCredential | undefined> {
    if (id !== undefined) return applicationCredentials.find({ id });
    const exact = await exactName(database, readNamed(user ?? {}, "identity/application_credential/user"));
    const owner = await findAccount(database, (await directories?.toRow(exact, admit)) ?? exact);
    return applicationCredentials.find({ userId: owner?.user.id ?? "", name: name ?? "" });
  }

  /** The credential. @throws {FailedLoginError} It does not exist, or has another secret. */
  async function check(section: Section, address: string): Promise<ApplicationCredential> {
    const { id, name, user } = section;
    // A user next to an id is ignored: the credential decides whose it is.
    const key = JSON.stringify(id === undefined ? [name, user?.id, user?.name, user?.domain] : id);
    const admitted = (credential?: ApplicationCredential) =>
      throttle?.admitPassword({
        account: `${METHOD} ${credential?.id ?? key}`,
        userId: credential?.userId,
        address,
      });
    const admit = async () => (await admitted())?.end("unknown");
    const credential = await credentials.get(key, () => find(section, admit));
    const admission = await admitted(credential);
    let result: AttemptResult = "unknown";
    try {
      const matches = await verify(section.secret ?? "", credential?.secretHash);
      result = matches ? "succeeded" : "failed";
      if (credential === undefined) throw new FailedLoginError("application-credential-unknown");
      if (!matches)
        throw new FailedLoginError("application-credential-secret-wrong", { userId: credential.userId });
      return credential;
    } finally {
      admission?.end(result);
    }
  }

  return {
    name: METHOD,
    async prove({ [METHOD]: section }, { address }): Promise<Proof> {
      requireNames(section);
      // Before anything is read: later events revoke the token.
      const { position } = await revocations.known();
      const credential = await check(section, address);
      const { id, userId, projectId } = credential;
      return {
        userId,
        methods: [METHOD],
        position,
        isUserChecked: false,
        scope: { kind: "project", projectId },
        delegation: { applicationCredentialId: id },
      };
    },
  };
}

/** @throws {MissingPartError} Neither an id, nor a name with its user. */
function requireNames(section: Section | undefined): asserts section is Section {
  if (section?.id !== undefined) return;
  if (section?.name === undefined) throw new MissingPartError("name or ID", SECTION);
  if (section.user === undefined) throw new MissingPartError("user", SECTION);
}

/** Cached hashes: some 300 bytes each. */
const MAX_VERIFIED_SECRETS = 10_000;
const KEY_BYTES = 32;

/**
 * Whether a secret matches a hash. Without a hash it fails after the time of a real verification.
 *
 * @throws {BusyError} The queue of the hasher is full.
 */
export type VerifySecret = (secret: string, hash: string | undefined) => Promise<boolean>;

/**
 * Verifies secrets against their hashes, the slow way once: a secret that matched is recognized by a keyed digest afterwards.
 *
 * The cache is by hash, which no change of a secret leaves the same; the key is random and never leaves the process.
 */
export function createVerifiedSecrets({
  hasher,
  maxEntries = MAX_VERIFIED_SECRETS,
}: {
  readonly hasher: Pick<PasswordHasher, "verify">;
  readonly maxEntries?: number;
}): VerifySecret {
  const key = randomBytes(KEY_BYTES);
  const digests = new Map<string, Buffer>();
  const digestOf = (secret: string) => createHmac("sha256", key).update(secret).digest();

  function store(hash: string, digest: Buffer): void {
    const [oldest] = digests.keys();
    if (digests.size >= maxEntries && oldest !== undefined) digests.delete(oldest);
    digests.set(hash, digest);
  }

  return async (secret, hash) => {
    const known = hash === undefined ? undefined : digests.get(hash);
    if (known !== undefined && timingSafeEqual(known, digestOf(secret))) return true;
    const { matches } = await hasher.verify(secret, hash);
    if (matches && hash !== undefined && known === undefined) store(hash, digestOf(secret));
    return matches;
  };
}
