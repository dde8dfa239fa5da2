/**
 * What a login warns of, once an hour rather than at each login: values that the assertion lacks, names that may imitate others, and
 * groups that the mapping names and that do not exist.
 */
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import type { GroupReference } from "../../mappings/rules/group-list.js";
import type { Clock } from "../../platform/clock.js";
import { createHourly } from "../../platform/hourly-warnings.js";
import { mixedScripts } from "../../platform/text/name-characters.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { EnabledProtocol, VerifiedAssertion, VerifierLog } from "../assertion-verifier.js";
import type { FoundReferences, MappedReferencesDeps } from "./mapped-references.js";

export interface AssertionReading {
  readonly assertion: VerifiedAssertion;
  readonly mapping: Mapping;
  readonly log: VerifierLog | undefined;
}

/** @returns A function that warns of values that an assertion lacks, if the mapping's rules read their attribute. */
export function createLeftOutWarnings({ clock }: { readonly clock: Clock }) {
  const isDue = createHourly({ clock });
  return ({ assertion, mapping, log }: AssertionReading): void => {
    const { identityProviderId: idpId, protocolId, leftOut = [] } = assertion;
    for (const { reason, attributes } of leftOut) {
      const read = attributes.filter(
        (name) => isRead(name, mapping) && isDue(idpId, protocolId, reason, name),
      );
      if (read.length > 0) log?.warn({ idpId, protocolId, attributes: read }, reason);
    }
  };
}

function isRead(name: string, { rules }: Mapping): boolean {
  return rules.some(({ conditions }) => conditions.some(({ attribute }) => attribute === name));
}

/** Reports names that may imitate others, which the log does not carry. */
export function reportNames(
  { idpId, id }: EnabledProtocol,
  name: string,
  { unusableNames, log }: Pick<FoundReferences, "unusableNames"> & { readonly log: VerifierLog | undefined },
): void {
  const federation = { idpId, id, step: "names" };
  const scripts = mixedScripts(name);
  if (scripts.length > 0) {
    const reason = `the user's name mixes scripts (UTS 39): ${scripts.join(", ")}`;
    log?.warn({ federation: { ...federation, reason } }, "name may look like another one");
  }
  for (const fault of unusableNames)
    log?.warn({ federation: { ...federation, reason: `the name of a group ${fault}` } }, "group ignored");
}

type DomainDeps = Pick<MappedReferencesDeps, "projects">;

/** What a name contains where one text holds several names, or names are spelled otherwise at the provider. */
const LIKELY_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^\[|^\{/, "it begins like a list, and is none"],
  [/^(?:CN|OU|DC|UID)=/i, "it is a distinguished name"],
  [/,/, "it contains a comma"],
  [/\|/, "it contains a vertical bar"],
  [/[\t\n\r]/, "it contains a tab or line break"],
  [/^\s|\s$/, "it begins or ends with white space"],
  [/^\//, "it is a path"],
  [/\s/, "it contains white space"],
];

/** Such as `no group "staff,admin" in domain acme; it contains a comma`, for each group. */
export async function explainMissing(
  { projects }: DomainDeps,
  missing: readonly GroupReference[],
): Promise<string[]> {
  const ids = [...new Set(missing.flatMap(({ domain }) => domain.id ?? []))];
  // Domains by name were found before.
  const found = ids.length === 0 ? [] : await projects.findDomains({ ids, names: [] });
  const known = new Set(found.map(({ id }) => id));
  return missing.map(({ name, domain: { id, name: domainName = "" } }) => {
    const place = id ?? domainName;
    const domain = /^[\w.@-]+$/.test(place) ? place : quoted(place);
    const hint = LIKELY_FAULTS.find(([pattern]) => pattern.test(name))?.[1];
    const reason = id !== undefined && !known.has(id) ? "the domain does not exist" : hint;
    return `no group ${quoted(name)} in domain ${domain}${reason === undefined ? "" : `; ${reason}`}`;
  });
}

export interface MissingGroupsOf {
  readonly idpId: string;
  readonly protocolId: string;
  readonly mappingId: string;
  readonly log: VerifierLog | undefined;
}

/** Lines of one login. */
const MAX_REPORTED = 5;

/** @returns A function that logs each missing group once an hour: a provider has groups for other services too. */
export function createMissingGroupReports(deps: DomainDeps & { readonly clock: Clock }) {
  const isDue = createHourly(deps);
  return async (
    { idpId, protocolId, mappingId, log }: MissingGroupsOf,
    missing: readonly GroupReference[],
  ): Promise<void> => {
    const due: GroupReference[] = [];
    for (const group of log === undefined ? [] : missing) {
      const { name, domain } = group;
      if (due.length < MAX_REPORTED && isDue(idpId, protocolId, name, domain.id ?? "", domain.name ?? ""))
        due.push(group);
    }
    if (due.length === 0) return;
    for (const text of await explainMissing(deps, due)) {
      const reason = `mapping ${quoted(mappingId)}: ${text}`;
      log?.info({ federation: { idpId, id: protocolId, step: "groups", reason } }, "group ignored");
    }
  };
}
