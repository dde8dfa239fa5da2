/** Changes of the id mapping by operators: Keystone's `mapping_purge` and `mapping_populate`. */
import { deleteMirroredGroups } from "../groups/group.js";
import type { Queries } from "../platform/database/database.js";
import { disableMirrors } from "../users/user-store.js";
import type { DirectoryReader } from "./directory-reader.js";
import {
  deleteMappings,
  findMappings,
  mappingOf,
  MAX_MAPPINGS,
  type EntityKind,
  type IdMapping,
} from "./id-mapping-store.js";

/**
 * Deletes mappings. Users and groups are unknown by these ids, and their tokens invalid, until a list or a login maps them again: to the same
 * ids, so that grants stay with those who have the same id in the directory.
 */
export async function purgeMappings(transaction: Queries, mappings: readonly IdMapping[]): Promise<void> {
  for (let at = 0; at < mappings.length; at += MAX_MAPPINGS) {
    const some = mappings.slice(at, at + MAX_MAPPINGS);
    const idsOf = (kind: EntityKind) =>
      some.filter((each) => each.kind === kind).map(({ publicId }) => publicId);
    const [users, groups] = [idsOf("user"), idsOf("group")];
    if (users.length > 0) await disableMirrors(transaction, users);
    if (groups.length > 0) await deleteMirroredGroups(transaction, groups);
    await deleteMappings(
      transaction,
      some.map(({ publicId }) => publicId),
    );
  }
}

/** The mappings of all entries of these kinds in a directory that are not stored yet. */
export async function missingMappings(
  queries: Queries,
  { domainId, reader, kinds }: Population,
): Promise<IdMapping[]> {
  const missing: IdMapping[] = [];
  for (const kind of kinds) {
    const entries = await (kind === "user" ? reader.users([]) : reader.groups([]));
    const mappings = entries.map(({ localId }) => mappingOf(domainId, kind, localId));
    const stored = await findMappings(
      queries,
      mappings.map(({ publicId }) => publicId),
    );
    const known = new Set(stored.map(({ publicId }) => publicId));
    missing.push(...mappings.filter(({ publicId }) => !known.has(publicId)));
  }
  return missing;
}

export interface Population {
  readonly domainId: string;
  readonly reader: Pick<DirectoryReader, "users" | "groups">;
  readonly kinds: readonly EntityKind[];
}
