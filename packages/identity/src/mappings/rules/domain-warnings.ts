/** Warns where the assertion chooses the domain, so that its provider can reach all domains. */
import { choosesDomains, isDomainless, type ListTemplate } from "./group-list.js";
import type { RuleWarning } from "../mapping-errors.js";
import type { DomainReference, LocalItem } from "./rule-schema.js";
import { takesValues } from "./text-template.js";

interface Context {
  readonly place: string;
  /** The compiled `groups` of the entry. */
  readonly groups: ListTemplate | undefined;
}

/** The members of an entry by which the assertion chooses a domain. */
export function domainWarnings(item: LocalItem, { place, groups }: Context): RuleWarning[] {
  const { user, group, group_ids, domain, projects = [], projects_json } = item;
  const isBound = !isDomainless(domain);
  const warn = (part: string, reason: string): RuleWarning => ({ place: `${place}.${part}`, reason });
  const named: readonly (readonly [string, DomainReference | null | undefined])[] = [
    ["domain", domain],
    ["user.domain", user?.domain],
    ["group.domain", group !== undefined && "domain" in group ? group.domain : undefined],
    ...projects.map((project, index) => [`projects[${index}].domain`, project.domain] as const),
  ];
  const takesGroupId = group !== undefined && "id" in group && takesValues(group.id);
  const takesLocalId = user?.type === "local" && takesValues(user.id) && isDomainless(user.domain);
  return [
    ...named.filter(([, reference]) => takesDomain(reference)).map(([part]) => warn(part, CHOSEN)),
    ...(!isBound && groups !== undefined && choosesDomains(groups) ? [warn("groups", UNBOUND)] : []),
    ...(!isBound && takesValues(group_ids) ? [warn("group_ids", UNBOUND)] : []),
    ...(!isBound && takesGroupId ? [warn("group.id", UNBOUND)] : []),
    ...(!isBound && projects_json !== undefined ? [warn("projects_json", UNBOUND)] : []),
    ...(!isBound && takesLocalId ? [warn("user.id", "the assertion chooses users of any domain")] : []),
  ];
}

const CHOSEN = "the assertion chooses the domain";
const UNBOUND = `the assertion chooses among all domains; a "domain" in this entry restricts it to that one`;

function takesDomain(reference: DomainReference | null | undefined): boolean {
  return takesValues(reference?.id) || takesValues(reference?.name);
}
