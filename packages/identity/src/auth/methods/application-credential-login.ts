/**
 * Login by application credential, which is for one project.
 *
 * A client learns only whether a secret is right: an unknown credential takes as long as a wrong secret. Whether the user, project and
 * credential are valid is checked with the facts of the token.
 */
import type { ApplicationCredential } from "../../application-credentials/application-credential-store.js";
import type { ApplicationCredentialReference } from "../../application-credentials/application-credential-service.js";
import { createRevisionCache } from "../../platform/concurrency/revision-cache.js";
import type { Database } from "../../platform/database/database.js";
import type { AttemptResult } from "../../platform/login-limits/admission.js";
import type { LoginLimiter } from "../../platform/login-limits/login-limiter.js";
import type { PasswordHasher } from "../../passwords/password-hash.js";
import { exactName, findAccount } from "../../users/account-store.js";
import { LoginRefusedError, MissingPartError } from "../auth-errors.js";
import type { AuthMethod, Proof } from "../auth-methods.js";
import { readNamed, type Auth } from "../login-request.js";
import { createVerifiedSecrets } from "./verified-secrets.js";

export interface ApplicationCredentialMethodDeps {
  readonly database: Database;
  readonly applicationCredentials: {
    readonly find: (reference: ApplicationCredentialReference) => Promise<ApplicationCredential | undefined>;
  };
  readonly hasher: Pick<PasswordHasher, "verify">;
  readonly revocations: { readonly known: () => Promise<{ readonly position: number }> };
  /** Left out if logins are not limited. */
  readonly limiter?: Pick<LoginLimiter, "admitPassword"> | undefined;
}

/** Cached credentials, by how logins name them. */
const MAX_CREDENTIALS = 10_000;
const METHOD = "application_credential";
/** In messages, as Keystone writes it. */
const SECTION = "application credential";

type Section = NonNullable<Auth["identity"][typeof METHOD]>;

export function createApplicationCredentialMethod(deps: ApplicationCredentialMethodDeps): AuthMethod {
  const { database, applicationCredentials, hasher, revocations, limiter } = deps;
  const verify = createVerifiedSecrets({ hasher });
  const credentials = createRevisionCache<ApplicationCredential | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CREDENTIALS,
    // A missing credential may be created without a notice.
    keeps: (credential) => credential !== undefined,
  });

  async function find({ id, name, user }: Section): Promise<ApplicationCredential | undefined> {
    if (id !== undefined) return applicationCredentials.find({ id });
    const owner = await findAccount(
      database,
      await exactName(database, readNamed(user ?? {}, "identity/application_credential/user")),
    );
    return applicationCredentials.find({ userId: owner?.user.id ?? "", name: name ?? "" });
  }

  /** The credential, if it exists and the secret is its own. */
  async function check(section: Section, address: string): Promise<ApplicationCredential | undefined> {
    const { id, name, user } = section;
    // A user next to an id is ignored: the credential decides whose it is.
    const key = JSON.stringify(id === undefined ? [name, user?.id, user?.name, user?.domain] : id);
    const credential = await credentials.get(key, () => find(section));
    const account = `${METHOD} ${credential?.id ?? key}`;
    const admission = await limiter?.admitPassword({ account, userId: credential?.userId, address });
    let result: AttemptResult = "unknown";
    try {
      const matches = await verify(section.secret ?? "", credential?.secretHash);
      result = matches ? "succeeded" : "failed";
      return matches ? credential : undefined;
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
      if (credential === undefined)
        throw new LoginRefusedError("the application credential does not exist, or has another secret");
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
