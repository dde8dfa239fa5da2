/** The ancestors and descendants of a project in a response, as a list or as nested ids. */
import { errorClass, InvalidError } from "../platform/errors.js";
import type { Query } from "../platform/http/query.js";
import type { Project } from "./project.js";

type Form = "list" | "ids" | undefined;

/** The requested forms. */
export interface TreeRequest {
  readonly parents: Form;
  readonly subtree: Form;
}

/** A request for both forms. */
export class TreeFormsError extends errorClass(
  InvalidError,
  "project/tree-forms",
  (direction: "parents" | "subtree") =>
    `Cannot use ${direction}_as_list and ${direction}_as_ids query params at the same time.`,
) {}

/** @throws {TreeFormsError} */
export function readTreeRequest(query: Query): TreeRequest {
  return { parents: formOf(query, "parents"), subtree: formOf(query, "subtree") };
}

function formOf(query: Query, direction: "parents" | "subtree"): Form {
  // Any value but 0 counts, also an empty one.
  const [list, ids] = [query[`${direction}_as_list`], query[`${direction}_as_ids`]].map(
    (value) => value !== undefined && value !== "0",
  );
  if (list && ids) throw new TreeFormsError(direction);
  if (list) return "list";
  return ids ? "ids" : undefined;
}

/** Nested ids; `null` for none. */
export type IdTree = { readonly [id: string]: IdTree } | null;

/** @param ancestors From the parent to the domain. */
export function idsAbove(ancestors: readonly Project[]): IdTree {
  return ancestors.reduceRight<IdTree>((tree, { id }) => ({ [id]: tree }), null);
}

/** @param descendants All of the project's, in any order. */
export function idsBelow(id: string, descendants: readonly Project[]): IdTree {
  const children = new Map<string | null, string[]>();
  for (const { id: childId, parentId } of descendants) {
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [childId]);
    else siblings.push(childId);
  }
  const below = (parentId: string): IdTree => {
    const found = children.get(parentId);
    return found === undefined ? null : Object.fromEntries(found.map((child) => [child, below(child)]));
  };
  return below(id);
}
