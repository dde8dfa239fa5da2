/** EC2 keys: pairs of access key and secret for one user and project, stored as credentials. */
import { delegationOf, EC2_TYPE, ec2CredentialId, readEc2Blob, textIn } from "./ec2-blob.js";
import type { Database } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/table.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { required } from "../platform/errors.js";
import type { DelegatedBy } from "../policy/delegation.js";
import { randomBytes } from "../platform/ids.js";
import { CredentialNotFoundError } from "./credential.js";
import type { Credential, CredentialService } from "./credential-service.js";

/** An access key with its secret. */
export interface Ec2Key {
  /** Of the credential. */
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly access: string;
  /** `null` in a credential without a secret, which signs nothing. */
  readonly secret: string | null;
  readonly trustId: string | null;
  /** What the key is bound to; `undefined` if it has all roles of its user. */
  readonly delegation: DelegatedBy | undefined;
}

export interface Ec2KeyServiceDeps {
  readonly database: Pick<Database, "revision">;
  readonly credentials: Pick<CredentialService, "create" | "delete" | "find" | "list">;
}

export type Ec2KeyService = ReturnType<typeof createEc2KeyService>;

/** Keys in the cache, of less than a kilobyte each. */
const MAX_CACHED_KEYS = 10_000;

export function createEc2KeyService({ database, credentials }: Ec2KeyServiceDeps) {
  const cache = createRevisionCache<Ec2Key | undefined>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED_KEYS,
    // A key may be created without advancing the revision.
    keeps: (key) => key !== undefined,
  });

  /** The key of an access key; `undefined` if it does not exist. */
  const find = async (access: string): Promise<Ec2Key | undefined> =>
    cache.get(access, async () => {
      const credential = await credentials.find(ec2CredentialId(access));
      return credential?.type === EC2_TYPE ? toKey(credential) : undefined;
    });

  return {
    find,

    /** @throws {CredentialNotFoundError} */
    get: (access: string): Promise<Ec2Key> =>
      required(find(access), () => new CredentialNotFoundError(ec2CredentialId(access))),

    async list(userId: string, { page }: Pick<ListQuery, "page">): Promise<Ec2Key[]> {
      const visibility = { kind: "own", userId } as const;
      const ofType = { field: "type", comparator: "equals", ignoresCase: false, value: EC2_TYPE } as const;
      return (await credentials.list({ filters: [ofType], page, visibility })).map(toKey);
    },

    /** @throws {NotFoundError} The user or the project does not exist. */
    async create(userId: string, projectId: string): Promise<Ec2Key> {
      const [access, secret] = [newKeyText(), newKeyText()];
      const blob = JSON.stringify({ access, secret, trust_id: null });
      const draft = { type: EC2_TYPE, blob, user_id: userId, project_id: projectId };
      return toKey(await credentials.create(draft));
    },

    delete: (key: Ec2Key): Promise<void> => credentials.delete(key.id),
  };
}

/** 128 random bits as 32 hexadecimal digits. */
function newKeyText(): string {
  return randomBytes(16).toString("hex");
}

function toKey({ id, userId, projectId, blob: text }: Credential): Ec2Key {
  const blob = readEc2Blob(text);
  return {
    id,
    userId,
    projectId,
    access: blob.access,
    secret: textIn(blob, "secret"),
    trustId: textIn(blob, "trust_id"),
    delegation: delegationOf(blob),
  };
}
