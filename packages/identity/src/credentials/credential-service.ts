/** The rules for credentials: secrets of users, such as EC2 keys and seeds of one-time codes. */
import type { Platform } from "../area.js";
import { extraOf, type Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { sealingIn, unsealStored } from "../platform/secrets/master-key-in-force.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { checkTextLength } from "../platform/text/text-length.js";
import {
  CredentialExistsError,
  CredentialLimitError,
  CredentialProjectError,
  Ec2PartError,
  FixedMemberError,
  CREDENTIAL_MEMBERS,
  blobPlace,
  countCredentials,
  credentialTable,
  deleteCredentialsOf,
  TOTP_TYPE,
  listCredentials,
  listCredentialsOf,
  recordStep,
  type CredentialChange,
  type CredentialDraft,
  type CredentialPlace,
  type CredentialQuery,
  type StoredCredential,
} from "./credential.js";
import { checkSameBindings, ec2CredentialId, hasAccessKey, readEc2Blob } from "./ec2-blob.js";

/** A credential with its secret. */
export interface Credential extends CredentialPlace {
  readonly blob: string;
  readonly extra: Attributes;
}

export interface CredentialServiceDeps extends Pick<Platform, "database" | "newId" | "masterKey"> {
  readonly users: {
    /** @throws {NotFoundError} */
    getUser(id: string): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
  readonly projects: { findProject(reference: { readonly id: string }): Promise<unknown> };
  /** Credentials of one user; `undefined` for no limit. */
  readonly maxPerUser: number | undefined;
}

export type CredentialService = ReturnType<typeof createCredentialService>;

export function createCredentialService(deps: CredentialServiceDeps) {
  const { database, masterKey, newId, users, projects, maxPerUser, revokeTokens } = deps;

  function unsealed(stored: StoredCredential): Credential {
    const { id, userId, projectId, type, sealedBlob, extra } = stored;
    const blob = unsealStored(masterKey, sealedBlob, blobPlace(stored)).toString();
    return { id, userId, projectId, type, extra, blob };
  }

  async function sealed(
    transaction: Queries,
    { blob, ...credential }: Credential,
    lastStep: number | null,
  ): Promise<StoredCredential> {
    const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
    return { ...credential, lastStep, sealedBlob: seal(Buffer.from(blob), blobPlace(credential)) };
  }

  async function requireProject(id: string): Promise<void> {
    if ((await projects.findProject({ id })) === undefined) throw new CredentialProjectError(id);
  }

  return {
    async list(query: CredentialQuery): Promise<Credential[]> {
      return (await listCredentials(database, query)).map(unsealed);
    },

    /** All credentials of a user that have a type. */
    listOf: async (userId: string, type: string): Promise<Credential[]> =>
      (await listCredentialsOf(database, { userId, type })).map(unsealed),

    find: async (id: string): Promise<Credential | undefined> => {
      const stored = await credentialTable.find(database, id);
      return stored && unsealed(stored);
    },

    /** The owner of a credential, whose secret stays sealed. */
    findOwner: async (id: string): Promise<string | undefined> =>
      (await credentialTable.find(database, id))?.userId,

    get: async (id: string): Promise<Credential> => unsealed(await credentialTable.require(database, id)),

    /** @throws {NotFoundError} The user or the project does not exist. */
    async create(draft: CredentialDraft): Promise<Credential> {
      const credential = newCredential(draft, newId);
      const { id, userId, projectId } = credential;
      await users.getUser(userId);
      if (projectId !== null) await requireProject(projectId);
      await database.transaction(
        async (transaction) => {
          if (maxPerUser !== undefined && (await countCredentials(transaction, userId)) >= maxPerUser)
            throw new CredentialLimitError(maxPerUser);
          const row = await sealed(transaction, credential, null);
          await credentialTable.insert(transaction, row, () => new CredentialExistsError(id));
        },
        // What does not exist is not cached.
        { changes: [] },
      );
      return credential;
    },

    update: (id: string, { blob, ...rest }: CredentialChange): Promise<Credential> =>
      database.transaction(async (transaction) => {
        const stored = await credentialTable.require(transaction, id);
        checkSame(stored, rest);
        const credential = unsealed(stored);
        if (hasAccessKey(credential.type)) checkSameBindings(readEc2Blob(credential.blob), readEc2Blob(blob));
        const changed = { ...credential, blob };
        await credentialTable.update(transaction, await sealed(transaction, changed, stored.lastStep));
        return changed;
      }),

    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        await credentialTable.require(transaction, id);
        await credentialTable.delete(transaction, id);
      }),

    /**
     * Deletes a user's secrets of one-time codes, and revokes its tokens: the device with them may have been stolen.
     *
     * @throws {NotFoundError} The user does not exist.
     */
    async resetOneTimeCodes(userId: string): Promise<void> {
      await users.getUser(userId);
      await database.transaction(
        async (transaction) => {
          await deleteCredentialsOf(transaction, { userId, type: TOTP_TYPE });
          await revokeTokens(transaction, { userId });
        },
        { changes: ["facts", "revocations"] },
      );
    },

    /** Records the use of a one-time code. @returns Whether neither it nor a later one was used before. */
    useStep: (ids: readonly string[], step: number): Promise<boolean> =>
      database.transaction((transaction) => recordStep(transaction, { ids, step }), { changes: [] }),
  };
}

/** @throws {FixedMemberError} A member other than the blob would change. */
function checkSame({ id, type, userId, projectId }: CredentialPlace, change: Attributes): void {
  const current: Attributes = { id, type, user_id: userId, project_id: projectId };
  for (const [member, value] of Object.entries(change))
    if (value !== current[member]) throw new FixedMemberError(member);
}

/** @throws {TextLengthError} {@link Ec2PartError} {@link Ec2BlobError} */
function newCredential(draft: CredentialDraft, newId: NewId): Credential {
  const { type, blob, user_id: userId, project_id: projectId = null } = draft;
  checkTextLength(type, { column: "type", length: 255 });
  const extra = extraOf(draft, CREDENTIAL_MEMBERS);
  if (!hasAccessKey(type)) return { id: newId(), userId, projectId, type, blob, extra };
  const { access } = readEc2Blob(blob);
  if (projectId === null) throw new Ec2PartError("project_id");
  return { id: ec2CredentialId(access), userId, projectId, type, blob, extra };
}
