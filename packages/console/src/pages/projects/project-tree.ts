/** The tree of a domain's projects as rows. */
import type { TreeRow } from "../../ui/table/TreeTable.svelte";
import type { Project } from "./project.ts";

/** Projects by the id of their parent, siblings by name. */
export type ProjectsByParent = ReadonlyMap<string, readonly Project[]>;

/** Groups projects by parent. A project whose parent isn't among them belongs to `rootId`, the domain: it may be hidden from the caller. */
export function projectsByParent(projects: readonly Project[], rootId: string): ProjectsByParent {
  const ids = new Set(projects.map(({ id }) => id));
  const byParent = new Map<string, Project[]>();
  for (const project of projects) {
    const parent = project.parent_id !== null && ids.has(project.parent_id) ? project.parent_id : rootId;
    const siblings = byParent.get(parent);
    if (siblings === undefined) byParent.set(parent, [project]);
    else siblings.push(project);
  }
  const { compare } = new Intl.Collator("en", { numeric: true });
  for (const siblings of byParent.values()) siblings.sort((one, other) => compare(one.name, other.name));
  return byParent;
}

/** The rows that are visible: those below closed projects are left out. */
export function treeRows(
  byParent: ProjectsByParent,
  rootId: string,
  opened: ReadonlySet<string>,
): readonly TreeRow<Project>[] {
  const rows: TreeRow<Project>[] = [];
  // A stack instead of recursion: trees may be deep.
  const waiting = [...(byParent.get(rootId) ?? [])].toReversed().map((project) => ({ project, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { project, depth } = next;
    const children = byParent.get(project.id) ?? [];
    const isOpen = opened.has(project.id);
    rows.push({ item: project, key: project.id, depth, childCount: children.length, isOpen });
    if (isOpen) for (const child of children.toReversed()) waiting.push({ project: child, depth: depth + 1 });
  }
  return rows;
}
