/** The tree of projects as a client asks for it: what is above a project and below it, as a list or as ids within ids. */
import { InvalidError } from "../platform/errors.js";
import type { Query } from "../platform/http/query.js";
import type { Project } from "./project.js";

type Form = "list" | "ids" | undefined;

/** The directions to look in. */
export interface TreeRequest {
  readonly parents: Form;
  readonly subtree: Form;
}

/** A client asks for both forms of the same. */
export class TreeFormsError extends InvalidError {
  override readonly name = "TreeFormsError";
  override readonly code = "project/tree-forms";

  constructor(direction: "parents" | "subtree") {
    super(`Cannot use ${direction}_as_list and ${direction}_as_ids query params at the same time.`);
  }
}

/** @throws {TreeFormsError} */
export function readTreeRequest(query: Query): TreeRequest {
  return { parents: formOf(query, "parents"), subtree: formOf(query, "subtree") };
}

function formOf(query: Query, direction: "parents" | "subtree"): Form {
  // Whatever stands there asks for it, but for a zero.
  const [list, ids] = [query[`${direction}_as_list`], query[`${direction}_as_ids`]].map(
    (value) => value !== undefined && value !== "0",
  );
  if (list && ids) throw new TreeFormsError(direction);
  if (list) return "list";
  return ids ? "ids" : undefined;
}

/** Ids with the ids within them; `null` where there are none. */
export type IdTree = { readonly [id: string]: IdTree } | null;

/** @param ancestors From the parent to the domain: each has the next in it. */
export function idsAbove(ancestors: readonly Project[]): IdTree {
  return ancestors.reduceRight<IdTree>((tree, { id }) => ({ [id]: tree }), null);
}

/** @param descendants All that is below the project, in any order. */
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
