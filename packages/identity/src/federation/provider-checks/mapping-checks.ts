/** Checks of a protocol's mapping: that it compiles, and that what its rules name literally exists. */
import type { ProtocolFinding, ProtocolToCheck } from "../../identity-providers/protocols/protocol-report.js";
import { lintRules } from "../../mappings/lint/lint-rules.js";
import { MappingRulesError } from "../../mappings/mapping-errors.js";
import type { StoredMapping } from "../../mappings/mapping.js";
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import { once } from "../../platform/concurrency/once.js";
import { NotFoundError } from "../../platform/errors.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { AssignedRoleError } from "../federation-errors.js";
import { findReferences, type MappedReferencesDeps } from "../mapped/mapped-references.js";
import { failed, passed, reasonOf, warned, type Checks, type CheckResult } from "./check.js";
import { literalReferences, type LiteralReference } from "./literal-references.js";

export interface MappingChecksDeps extends MappedReferencesDeps {
  readonly mappings: {
    get(id: string): Promise<StoredMapping>;
    getCompiled(id: string): Promise<Mapping>;
  };
}

/** References that are looked up, each on its own. */
const MAX_REFERENCES = 100;

/** What the checks need of a protocol. */
export interface MappedProtocol extends Pick<ProtocolToCheck, "mappingId" | "provider"> {
  /** Whether the protocol itself tells users apart, so that rules don't. */
  readonly hasOwnUserIds?: boolean | undefined;
}

/** Their names. */
export const MAPPING_CHECKS: ReadonlySet<string> = new Set(["mapping", "references", "user-id"]);

/** The findings of the checks, by what is stored now. */
export async function mappingFindings(
  protocol: MappedProtocol,
  deps: MappingChecksDeps,
): Promise<ProtocolFinding[]> {
  const found: ProtocolFinding[] = [];
  for (const [check, run] of Object.entries(mappingChecks(protocol, deps)))
    for (const result of await run()) found.push({ check, ...result });
  return found;
}

export function mappingChecks(protocol: MappedProtocol, deps: MappingChecksDeps): Checks {
  const { mappingId } = protocol;
  const compile = once(() => deps.mappings.getCompiled(mappingId));
  return {
    mapping: async () => [await checkMapping(compile(), mappingId)],
    references: async () => {
      const mapping = await compile().catch(() => undefined);
      return mapping === undefined
        ? []
        : checkReferences(literalReferences(mapping, await deps.mappings.get(mappingId)), protocol, deps);
    },
    "user-id": async () => {
      const mapping = await compile().catch(() => undefined);
      return mapping === undefined || protocol.hasOwnUserIds === true ? [] : checkUserId(mapping, mappingId);
    },
  };
}

/** Whether the rules tell users apart for good, as lint says. */
function checkUserId(mapping: Mapping, id: string): CheckResult[] {
  const faults = lintRules(mapping).filter(({ code }) => USER_CODES.has(code));
  return faults.map(({ place, message }) => warned(`${message} (${place} of mapping ${quoted(id)})`));
}

const USER_CODES: ReadonlySet<string> = new Set(["unstable-user-id", "shared-user"]);

async function checkMapping(compiling: Promise<Mapping>, id: string): Promise<CheckResult> {
  try {
    const { rules } = await compiling;
    return passed(`mapping ${quoted(id)} compiles (rules: ${rules.length})`);
  } catch (error) {
    if (error instanceof NotFoundError)
      return failed(`mapping ${quoted(id)} does not exist: create it, or set another mapping_id`);
    if (error instanceof MappingRulesError)
      return failed(`mapping ${quoted(id)} is invalid: ${error.message}`);
    throw error;
  }
}

async function checkReferences(
  references: readonly LiteralReference[],
  protocol: MappedProtocol,
  deps: MappingChecksDeps,
): Promise<CheckResult[]> {
  const checked = references.slice(0, MAX_REFERENCES);
  const faults = (
    await Promise.all(checked.map((reference) => checkReference(reference, protocol, deps)))
  ).flat();
  const left = references.length - checked.length;
  const more = left > 0 ? [warned(`${left} further references of the mapping were not checked`)] : [];
  if (faults.length > 0) return [...faults, ...more];
  return [
    passed(`the domains, groups and roles that the mapping names literally exist (${checked.length})`),
    ...more,
  ];
}

/** Looks a reference up as a login does. */
async function checkReference(
  { place, noun, name, isOptional, identity }: LiteralReference,
  { provider, mappingId }: MappedProtocol,
  deps: MappingChecksDeps,
): Promise<CheckResult[]> {
  const where = `${noun} ${quoted(name)} at ${place} of mapping ${quoted(mappingId)}`;
  const ignored = `${where} does not exist, and is ignored: create it, or change the rule`;
  try {
    const { isComplete } = await findReferences(deps, { identity, groupIdDomains: new Map() }, provider);
    return isComplete ? [] : [warned(ignored)];
  } catch (error) {
    if (isOptional && error instanceof NotFoundError) return [warned(ignored)];
    // The domain of the user, and with it the role, may come from another rule.
    const result = error instanceof AssignedRoleError ? warned : failed;
    return [result(`logins are rejected because of ${where}: ${reasonOf(error)}`)];
  }
}
