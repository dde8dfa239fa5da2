/** Federated login: maps a verified assertion to a local user and its groups, and creates what is missing. */
import { createHash } from "node:crypto";

import type { Platform } from "../area.js";
import type { Proof } from "../auth/auth-methods.js";
import type { IdentityProvider } from "../identity-providers/identity-provider.js";
import type { OpenedProtocol } from "../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import type { Mapping } from "../mappings/rules/compile-mapping.js";
import type { FinishedIdentity } from "../mappings/rules/mapped-identity.js";
import { traceMapping } from "../mappings/rules/trace-mapping.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { quoted } from "../platform/text/quoted-value.js";
import type { Revocations } from "../tokens/revocations.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import { membershipLifetimeMs } from "../users/federated/expiring-memberships.js";
import type { ShadowUser } from "../users/federated/shadow-users.js";
import {
  authUrlOf,
  type EnabledProtocol,
  type VerifiedAssertion,
  type VerifierLog,
} from "./assertion-verifier.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";
import { tracedGroups, tracedRemoteId, tracedRules, type LoginTrace } from "./login-trace.js";
import {
  createLoginRehearsal,
  createLoginWriter,
  LoginDeadlineError,
  MAX_LOGIN_MS,
  type AppliedLogin,
  type DesiredUser,
  type LoginPlanDeps,
  type RehearsedLogin,
} from "./mapped/login-plan.js";
import {
  createLeftOutWarnings,
  createMissingGroupReports,
  explainMissing,
  reportNames,
} from "./mapped/login-warnings.js";
import {
  findReferences,
  TooManyReferencesError,
  type FoundReferences,
  type MappedReferencesDeps,
} from "./mapped/mapped-references.js";
import {
  createRefusedAssertions,
  findLocalUser,
  likelyName,
  mapAssertion,
  nameUser,
  roundedIdOf,
  TooMuchWorkError,
  userFault,
  type LocalUserDeps,
  type ProviderUser,
} from "./mapped/mapped-user.js";
import { createWorkloadRoom, withoutRow, type WorkloadRoomDeps } from "./mapped/workload-login.js";
import { requireRemoteId, checkTime, requireEnabledProvider } from "./provider-conditions.js";

export interface FederatedLoginDeps extends LoginPlanDeps, Pick<Platform, "links"> {
  readonly shadowUsers: LoginPlanDeps["shadowUsers"] & WorkloadRoomDeps["shadowUsers"];
  readonly revocations: Pick<Revocations, "known" | "positionIn">;
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: { readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol> };
  readonly mappings: { readonly getCompiled: (id: string) => Promise<Mapping> };
  readonly users: LocalUserDeps["users"];
  readonly groups: MappedReferencesDeps["groups"];
  readonly projects: LocalUserDeps["projects"] & MappedReferencesDeps["projects"] & LoginPlanDeps["projects"];
  readonly roles: MappedReferencesDeps["roles"];
}

export interface FederatedLogin {
  /** @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError} {@link AssertionForbiddenError} */
  requireEnabled(key: ProtocolKey): Promise<EnabledProtocol>;
  /**
   * For test logins: the provider may be disabled, as it is while it is being set up.
   *
   * @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError}
   */
  requireTestable(key: ProtocolKey): Promise<EnabledProtocol>;
  /**
   * Proves the user that the assertion identifies, created or updated as the mapping demands.
   *
   * @param enabled As read for this login; read again if facts changed while the assertion was verified.
   * @throws {AssertionRefusedError} {@link AssertionForbiddenError}
   */
  prove(assertion: VerifiedAssertion, enabled: EnabledProtocol, options?: ProveOptions): Promise<Proof>;
  /**
   * Does all that a login does, and stores nothing.
   *
   * @throws What {@link FederatedLogin.prove} throws.
   */
  rehearse(
    assertion: VerifiedAssertion,
    enabled: EnabledProtocol,
    trace: LoginTrace,
  ): Promise<LoginRehearsal>;
  /** Checks what a federated token rests on besides its user: provider, protocol, mapping and groups. */
  requireValid(federation: TokenFederation): Promise<void>;
}

/** The user whom a login would have identified. */
export interface LoginRehearsal extends RehearsedLogin {
  /** `undefined` for a local user, whom the mapping names. */
  readonly user: Pick<ShadowUser, "name" | "email" | "domainId" | "uniqueId"> | undefined;
  /** What the mapping grants; without groups that do not exist. */
  readonly references: Pick<FoundReferences, "groupIds" | "projects" | "missingGroups">;
  /** Of a user without a row. */
  readonly unstoredUser?: AppliedLogin["unstoredUser"];
}

export interface ProveOptions {
  /** The method that the token shows; the protocol's id if left out. */
  readonly method?: string;
  /** Takes the assertion once the provider is known to be its own. Never rejects. */
  readonly accepted?: (assertion: VerifiedAssertion) => Promise<void>;
  /** Takes the name of the user as soon as it is known, also that of a login that the mapping rejects. */
  readonly named?: (name: string | undefined) => void;
  /** Receives warnings about suspicious names. */
  readonly log?: VerifierLog;
}

/** Users whose last login is cached as applied. */
const MAX_APPLIED_LOGINS = 10_000;

export function createFederatedLogin(deps: FederatedLoginDeps): FederatedLogin {
  const { database, clock, links, identityProviders, protocols, mappings, groups } = deps;
  const revision = () => database.revision("facts");
  const applied = createRevisionCache<AppliedLogin>({
    revision,
    maxEntries: MAX_APPLIED_LOGINS,
    keeps: ({ isComplete }) => isComplete,
    isValid: ({ validUntil }) => clock.now() < validUntil,
  });
  const applyLogin = createLoginWriter(deps);
  const rehearseLogin = createLoginRehearsal(deps);
  const workloadRoom = createWorkloadRoom(deps);
  const refusedAssertions = createRefusedAssertions({ clock, revision });
  const warnOfLeftOut = createLeftOutWarnings({ clock });
  const reportMissingGroups = createMissingGroupReports(deps);

  /** @param check Throws for a provider that may not log in. */
  async function open(
    key: ProtocolKey,
    check: (provider: IdentityProvider) => void = () => {},
  ): Promise<EnabledProtocol> {
    // Before anything is read: a concurrent change makes the result stale.
    const readAt = revision();
    const provider = await identityProviders.get(key.idpId);
    check(provider);
    const protocol = await protocols.getOpened(key);
    return { ...protocol, provider, authUrl: authUrlOf(links, key), revision: readAt };
  }

  const requireTestable = (key: ProtocolKey) => open(key);
  const requireEnabled = (key: ProtocolKey) => open(key, requireEnabledProvider);

  /** Before anything is looked up that the assertion names. */
  async function accept(
    assertion: VerifiedAssertion,
    known: EnabledProtocol,
    read: FederatedLogin["requireEnabled"],
  ): Promise<AcceptedLogin> {
    const { identityProviderId: idpId, protocolId: id } = assertion;
    const isCurrent = known.revision === revision();
    const protocol = isCurrent ? known : await read({ idpId, id });
    requireRemoteId(protocol, assertion);
    checkTime(assertion, clock.now());
    return { protocol, mapping: await mappings.getCompiled(protocol.mappingId), assertion };
  }

  /** Looks up what the mapping names. */
  async function desire(
    finished: FinishedIdentity,
    named: ProviderUser,
    { protocol, mapping, assertion: { workload }, log }: AcceptedLogin,
  ): Promise<DesiredUser> {
    const { provider } = protocol;
    const deadline = clock.now() + MAX_LOGIN_MS;
    const references = await findReferences(deps, finished, provider);
    reportNames(protocol, named.name, { ...references, log });
    const place = { idpId: provider.id, protocolId: protocol.id, mappingId: protocol.mappingId };
    await reportMissingGroups({ ...place, log }, references.missingGroups);
    const user: ShadowUser = {
      ...named,
      idpId: provider.id,
      protocolId: protocol.id,
      domainId: references.domainId,
      isDomainFixed: mapping.hasOneDomain,
      groupIds: references.groupIds,
      groupsLifetimeMs: membershipLifetimeMs(provider.authorizationTtl),
      ...(workload !== undefined && { maxWorkloads: workload.maxUsers }),
    };
    return { user, references, hasExactProjects: mapping.schemaVersion === "3.0", deadline };
  }

  async function proveShadowUser(finished: FinishedIdentity, facts: LoginFacts): Promise<Proof> {
    const { protocol, mapping, method, position } = facts;
    const { provider } = protocol;
    const { workload } = facts.assertion;
    const named = nameShadowUser(finished, facts);
    const { hasOneDomain } = mapping;
    const login = [provider.id, protocol.id, protocol.mappingId, hasOneDomain, named, workload];
    const key = shortened(JSON.stringify([login, finished.identity, [...finished.groupIdDomains]]));
    const {
      userId,
      groupIds,
      unstoredUser,
      endedAt = position,
    } = await applied.get(key, async () => {
      const desired = await desire(finished, named, facts);
      const { user, references } = desired;
      if (workload?.isStored === false) return withoutRow(user, references);
      const apply = () => applyLogin(desired);
      return workload === undefined ? apply() : workloadRoom.apply(apply, user, workload);
    });
    const federation = {
      identityProviderId: provider.id,
      protocolId: protocol.id,
      groupIds,
      ...(unstoredUser !== undefined && { unstoredUser }),
    };
    const proof = { userId, methods: [method], federation, isUserChecked: false };
    return { ...proof, position: Math.max(position, endedAt) };
  }

  /** Its token rests on the provider too. */
  async function proveLocalUser(
    { identity: { user } }: FinishedIdentity,
    { protocol, method, position }: LoginFacts,
  ): Promise<Proof> {
    const userId = await findLocalUser(deps, user, protocol.provider);
    const key = { identityProviderId: protocol.idpId, protocolId: protocol.id };
    const federation = { ...key, groupIds: [], isLocalUser: true };
    return { userId, methods: [method], federation, position, isUserChecked: false };
  }

  async function rehearseShadowUser(
    finished: FinishedIdentity,
    accepted: AcceptedLogin,
    trace: LoginTrace,
  ): Promise<LoginRehearsal> {
    const named = nameShadowUser(finished, accepted);
    trace.passed({ check: "user", message: `the user is ${quoted(named.name)}`, received: named.uniqueId });
    const desired = await desire(finished, named, accepted);
    const { user, references } = desired;
    const { groupIds, projects, missingGroups } = references;
    trace.passed(
      { check: "groups", message: tracedGroups(groupIds.length, await explainMissing(deps, missingGroups)) },
      { check: "projects", message: `${projects.length} projects` },
    );
    const { workload } = accepted.assertion;
    if (workload?.isStored === false) {
      const { userId, unstoredUser } = withoutRow(user, references);
      return { userId, groupIds, isNew: false, effects: [], user, references, unstoredUser };
    }
    const rehearsed =
      workload === undefined
        ? await rehearseLogin(desired)
        : await workloadRoom.rehearse((of) => rehearseLogin({ ...desired, user: of }), user, workload);
    return { ...rehearsed, user, references };
  }

  return {
    requireEnabled,
    requireTestable,

    async prove(assertion, enabled, { method = assertion.protocolId, accepted: observe, named, log } = {}) {
      const { expiresAt } = assertion;
      // Before the provider is read: an event that ends its tokens from now on ends this one.
      const { position } = await deps.revocations.known();
      const { mapping, ...accepted } = await accept(assertion, enabled, requireEnabled);
      warnOfLeftOut({ assertion, mapping, log });
      const likely = likelyName(mapping, assertion.attributes);
      named?.(likely);
      refusedAssertions.check(assertion);
      void observe?.(assertion);
      try {
        const finished = mapAssertion(mapping, accepted.protocol, assertion);
        named?.(finished.identity.user.name || likely);
        const facts = { ...accepted, mapping, method, position, log };
        const prove = finished.identity.user.type === "local" ? proveLocalUser : proveShadowUser;
        return { ...(await prove(finished, facts)), ...(expiresAt !== undefined && { expiresAt }) };
      } catch (cause) {
        if (isCostly(cause)) refusedAssertions.add(assertion, cause);
        throw toRefusal(cause);
      }
    },

    async rehearse(assertion, enabled, trace) {
      const { attributes } = assertion;
      trace.attributes = attributes;
      const accepted = await accept(assertion, enabled, requireTestable);
      const { mapping, protocol } = accepted;
      const { provider } = protocol;
      if (!provider.enabled) trace.passed({ check: "provider", message: TESTED_WHILE_DISABLED });
      trace.passed(tracedRemoteId(provider.remoteIds, assertion.remoteId), {
        check: "attributes",
        message: `${Object.keys(attributes).length} attributes`,
      });
      const mapped = traceMapping(mapping, attributes);
      trace.mapping = { id: protocol.mappingId, ...mapped };
      const finished = mapAssertion(mapping, protocol, assertion);
      trace.passed({ check: "mapping", message: tracedRules(trace.mapping) });
      try {
        const { user } = finished.identity;
        if (user.type !== "local") return await rehearseShadowUser(finished, accepted, trace);
        const userId = await findLocalUser(deps, user, provider);
        trace.passed({ check: "user", message: `the user is the local user ${quoted(userId)}` });
        const references = { groupIds: [], projects: [], missingGroups: [] };
        return { userId, groupIds: [], isNew: false, effects: [], user: undefined, references };
      } catch (cause) {
        throw toRefusal(cause);
      }
    },

    async requireValid({ identityProviderId, protocolId, groupIds }) {
      const { mappingId } = await requireEnabled({ idpId: identityProviderId, id: protocolId });
      await mappings.getCompiled(mappingId);
      const { size } = new Set(groupIds);
      const found = size === 0 ? [] : await groups.findGroupsById(groupIds);
      if (found.length < size)
        throw new AssertionRefusedError({
          step: "groups",
          reason: `${size - found.length} of the token's ${size} groups were deleted`,
        });
    },
  };
}

const TESTED_WHILE_DISABLED = "the identity provider is disabled: logins are rejected until it is enabled";

/** A login whose assertion is that of the provider. */
interface AcceptedLogin {
  readonly protocol: EnabledProtocol;
  readonly mapping: Mapping;
  readonly assertion: VerifiedAssertion;
  readonly log?: VerifierLog | undefined;
}

interface LoginFacts extends AcceptedLogin {
  readonly method: string;
  /** The revocation position at which the provider was read. */
  readonly position: number;
}

/** The user whom the mapping names, by the name and id that the assertion has. */
function nameShadowUser(
  { identity: { user } }: FinishedIdentity,
  { mapping, protocol, assertion }: Pick<AcceptedLogin, "mapping" | "protocol" | "assertion">,
): ProviderUser {
  const mapped = nameUser(user, assertion);
  const { workload, rounded } = assertion;
  if (workload !== undefined) return { ...mapped, uniqueId: workload.subject };
  return { ...mapped, ...roundedIdOf(mapping, protocol, rounded) };
}

/** What of a fault in storing the user is for the log. */
function toRefusal(cause: unknown): unknown {
  const reason = cause instanceof Error ? userFault(cause) : undefined;
  return reason === undefined ? cause : new AssertionForbiddenError({ step: "user", reason }, { cause });
}

/** A rejection that took many lookups, or exhausted the mapping's step budget. */
function isCostly(failure: unknown): failure is Error {
  return (
    failure instanceof TooManyReferencesError ||
    failure instanceof LoginDeadlineError ||
    failure instanceof TooMuchWorkError
  );
}

/** Keeps cache keys of users with many groups small. */
function shortened(key: string): string {
  return key.length < 1000 ? key : createHash("sha256").update(key).digest("base64");
}
