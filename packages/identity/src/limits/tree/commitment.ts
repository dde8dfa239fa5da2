/** The tree of a domain for one resource: what each project has, and what its children have together. Pure functions. */
import { UNLIMITED, type EffectiveLimit, type Enforcement } from "./enforcement.js";

/** A project, or the domain. */
export interface TreeProject {
  readonly id: string;
  readonly name: string;
  /** `null` for the domain. */
  readonly parentId: string | null;
}

/** An own limit. */
export interface TreeLimit {
  readonly id: string;
  readonly limit: number;
}

export interface LimitNode extends TreeProject, EffectiveLimit {
  /** `undefined` where the registered default or the domain's limit applies. */
  readonly own: TreeLimit | undefined;
  /** The sum of the children's effective limits, {@link UNLIMITED} if one of them has no limit; `undefined` without children. */
  readonly children: number | undefined;
  /**
   * How far that sum is above the node's limit, {@link UNLIMITED} for without a bound; 0 if it is not. Where the default applies to
   * parent and children alike, the sum says nothing, so that it counts only for own limits, or if the model compares them.
   */
  readonly over: number;
}

export interface LimitsOfTree {
  /** The domain first. */
  readonly projects: readonly TreeProject[];
  /** By the id of the project or domain. */
  readonly limits: ReadonlyMap<string, TreeLimit>;
  readonly registered: number;
  readonly enforcement: Enforcement;
}

/** In the order of the projects. */
export function commitments({ projects, limits, registered, enforcement }: LimitsOfTree): LimitNode[] {
  const [domain] = projects;
  if (domain === undefined) return [];
  const ofDomain = limits.get(domain.id)?.limit;
  const sums = new Map<string, number>();
  const nodes = projects.map((project) => {
    const own = limits.get(project.id);
    const above = project.parentId === null ? undefined : ofDomain;
    const effective = enforcement.effective({ own: own?.limit, domain: above, registered });
    if (project.parentId !== null)
      sums.set(project.parentId, sumOf(sums.get(project.parentId) ?? 0, effective.limit));
    return { ...project, ...effective, own };
  });
  return nodes.map((node) => {
    const children = sums.get(node.id);
    const isCompared = node.own !== undefined || enforcement.isBreach !== undefined;
    return Object.assign(node, { children, over: isCompared ? excess(children ?? 0, node.limit) : 0 });
  });
}

function sumOf(sum: number, limit: number): number {
  return sum === UNLIMITED || limit === UNLIMITED ? UNLIMITED : sum + limit;
}

function excess(children: number, limit: number): number {
  if (limit === UNLIMITED) return 0;
  return children === UNLIMITED ? UNLIMITED : Math.max(0, children - limit);
}
