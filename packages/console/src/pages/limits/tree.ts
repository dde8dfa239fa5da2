/** The rows of a tree of limits, as far as it is opened: pure functions. */

/** A project or the domain, as `/v3/limits/tree` returns it: the domain first. */
export interface LimitNode {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string | null;
  readonly over: number;
}

export interface LimitRow<Node extends LimitNode> {
  readonly item: Node & { readonly overBelow: number };
  readonly key: string;
  /** 0 for the domain. */
  readonly depth: number;
  readonly childCount: number;
  readonly isOpen: boolean;
}

/** In the order of the nodes, children of open rows behind their parents. */
export function limitRows<Node extends LimitNode>(
  nodes: readonly Node[],
  open: ReadonlySet<string>,
): LimitRow<Node>[] {
  const children = new Map<string, Node[]>();
  for (const node of nodes) {
    if (node.parent_id === null) continue;
    const siblings = children.get(node.parent_id);
    if (siblings === undefined) children.set(node.parent_id, [node]);
    else siblings.push(node);
  }
  const below = overCommitmentsBelow(nodes, children);
  const rows: LimitRow<Node>[] = [];
  const add = (node: Node, depth: number): void => {
    const inside = children.get(node.id) ?? [];
    const isOpen = open.has(node.id);
    const item = { ...node, overBelow: isOpen ? 0 : (below.get(node.id) ?? 0) };
    rows.push({ item, key: node.id, depth, childCount: inside.length, isOpen });
    if (isOpen) for (const child of inside) add(child, depth + 1);
  };
  const [root] = nodes;
  if (root !== undefined) add(root, 0);
  return rows;
}

/** How many over-committed nodes are below each, so that a closed one shows them. */
function overCommitmentsBelow<Node extends LimitNode>(
  [root]: readonly Node[],
  children: ReadonlyMap<string, readonly Node[]>,
): Map<string, number> {
  const below = new Map<string, number>();
  const count = (node: Node): number => {
    let sum = 0;
    for (const child of children.get(node.id) ?? []) sum += count(child) + (child.over === 0 ? 0 : 1);
    below.set(node.id, sum);
    return sum;
  };
  if (root !== undefined) count(root);
  return below;
}

/** -1 is no limit. */
export const amount = (limit: number): string => (limit === -1 ? "unlimited" : limit.toLocaleString("en"));

/** What is over: `30 over`, or without a bound. */
export const overText = (over: number): string =>
  over === -1 ? "unlimited children" : `${amount(over)} over`;
