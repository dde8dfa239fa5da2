/** The rules for the tags of projects. */
import type { Database } from "../../platform/database/database.js";
import { schemaFault, type Schema } from "../../platform/http/validation/schema-fault.js";
import { SchemaError } from "../../platform/http/validation/validation.js";
import { isImmutable } from "../../platform/immutable.js";
import { SHOWN_BY_NO_TOKEN } from "../project-changes.js";
import { ImmutableTagsError, TagNotFoundError } from "../project-errors.js";
import { Tags } from "../project-schema.js";
import { replaceTags, requireProject } from "../project-store.js";

export interface TagServiceDeps {
  readonly database: Database;
}

export type TagService = ReturnType<typeof createTagService>;

export function createTagService({ database }: TagServiceDeps) {
  /** Replaces the tags of a project by a function of them. */
  const change = (
    id: string,
    verb: "create" | "update" | "delete",
    make: (tags: readonly string[]) => readonly string[],
  ): Promise<readonly string[]> =>
    database.transaction(async (transaction) => {
      const project = await requireProject(transaction, id);
      if (isImmutable(project)) throw new ImmutableTagsError(verb, id);
      const tags = make(project.tags);
      checkTags(tags);
      await replaceTags(transaction, { id, tags });
      return tags;
    }, SHOWN_BY_NO_TOKEN);

  return {
    async list(projectId: string): Promise<readonly string[]> {
      return (await requireProject(database, projectId)).tags;
    },

    /** @throws {TagNotFoundError} */
    async require(projectId: string, tag: string): Promise<void> {
      requireTag((await requireProject(database, projectId)).tags, tag);
    },

    /** @returns The new tags, without surrounding blanks. */
    replace: (projectId: string, tags: readonly string[]): Promise<readonly string[]> =>
      change(projectId, "update", () => [...new Set(tags.map((tag) => tag.trim()))]),

    /** @throws {SchemaError} The project has the tag, or the maximum of tags. */
    add: (projectId: string, tag: string): Promise<readonly string[]> =>
      change(projectId, "create", (tags) => [...tags, tag.trim()]),

    remove: (projectId: string, tag: string): Promise<readonly string[]> =>
      change(projectId, "delete", (tags) => {
        requireTag(tags, tag);
        return tags.filter((each) => each !== tag);
      }),
  };
}

function requireTag(tags: readonly string[], tag: string): void {
  if (!tags.includes(tag)) throw new TagNotFoundError(tag);
}

/** Validates again: a trimmed tag may be empty, and an added one may be too many. */
function checkTags(tags: readonly string[]): void {
  const fault = schemaFault(Tags as unknown as Schema, tags);
  if (fault !== undefined) throw new SchemaError(fault);
}
