/**
 * From what somebody trustworthy says of a user to a proof of who that is here.
 *
 * A login is planned by reading alone, and what has to be written is written in one transaction: mostly that is nothing.
 */
import { createHash } from "node:crypto";

import type { Mapping } from "../mappings/rules/compile-mapping.js";
import { evaluateMapping } from "../mappings/rules/evaluate-mapping.js";
import type { FinishedIdentity } from "../mappings/rules/mapped-identity.js";
import type { IdentityProvider } from "../identity-providers/identity-provider-store.js";
import type { OpenedProtocol } from "../identity-providers/protocol-service.js";
import type { ProtocolKey } from "../identity-providers/protocol-store.js";
import type { Clock, Moment } from "../platform/clock.js";
import { UniqueViolation } from "../platform/database/database-errors.js";
import type { Database, Queries, Topic } from "../platform/database/database.js";
import { UnavailableError } from "../platform/errors.js";
import { mixedScripts } from "../platform/text/name-characters.js";
import { hasNul } from "../platform/text/nul.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Proof } from "../auth/auth-methods.js";
import type { Revocations } from "../tokens/revocations.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import {
  ForeignUserError,
  type LoginStep,
  type ShadowUser,
  type ShadowUsers,
} from "../users/federated/shadow-users.js";
import type { VerifierLog } from "./assertion-verifier.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";
import { findLocalUser, type LocalUserDeps } from "./mapped/local-user.js";
import {
  findReferences,
  TooManyReferencesError,
  type FoundReferences,
  type MappedReferencesDeps,
} from "./mapped/mapped-references.js";
import { nameUser } from "./mapped/mapped-user.js";
import { planProjects, type ProjectProvisioningDeps } from "./mapped/project-provisioning.js";
import { createRefusedAssertions } from "./refused-assertions.js";
import type { VerifiedAssertion } from "./verified-assertion.js";

export interface FederatedLoginDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly revocations: Pick<Revocations, "known" | "positionIn">;
  readonly newId: ProjectProvisioningDeps["newId"];
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly protocols: { readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol> };
  readonly mappings: { readonly getCompiled: (id: string) => Promise<Mapping> };
  readonly shadowUsers: Pick<ShadowUsers, "plan">;
  readonly users: LocalUserDeps["users"];
  readonly groups: MappedReferencesDeps["groups"];
  readonly projects: LocalUserDeps["projects"] &
    MappedReferencesDeps["projects"] &
    ProjectProvisioningDeps["projects"];
  readonly roles: MappedReferencesDeps["roles"];
  readonly grants: ProjectProvisioningDeps["grants"];
}

/** A way in that is open. */
export interface Entrance {
  readonly provider: IdentityProvider;
  readonly protocol: OpenedProtocol;
}

export interface FederatedLogin {
  /**
   * The protocol of a provider that is enabled.
   *
   * @throws {IdentityProviderNotFoundError} {@link ProtocolNotFoundError} {@link AssertionForbiddenError}
   */
  enter(key: ProtocolKey): Promise<Entrance>;
  /**
   * Who the assertion is about, made known here.
   *
   * @param options.method What the token says about how; the protocol's id when left out.
   * @param options.log Is told of names that an administrator should look at.
   * @throws {AssertionRefusedError} {@link AssertionForbiddenError}
   */
  prove(assertion: VerifiedAssertion, options?: ProveOptions): Promise<Proof>;
  /** What a token of a federation rests on beside its user; throws where that is no longer so. */
  requireStanding(federation: TokenFederation): Promise<void>;
}

export interface ProveOptions {
  readonly method?: string;
  readonly log?: VerifierLog;
}

/** How long a login may look things up and write before it is given up. */
const MAX_LOGIN_MS = 10_000;
/** Users that are remembered to be up to date at most. */
const MOST_REMEMBERED = 10_000;
/** How often a login is planned anew where others change the same things. */
const MOST_ATTEMPTS = 5;

/** What a login has come to. */
interface Settled {
  readonly userId: string;
  readonly groupIds: readonly string[];
  readonly isComplete: boolean;
  readonly goodUntil: Moment;
  /** The revocation position of the event by which the login has ended the user's tokens from before, if it has. */
  readonly endedAt?: number;
}

interface Plan extends Settled {
  readonly isNew: boolean;
  readonly steps: readonly LoginStep[];
}

/** What has to be so after a login. */
interface Wish {
  readonly user: ShadowUser;
  readonly references: FoundReferences;
  readonly hasExactProjects: boolean;
  /** When the login is given up. */
  readonly deadline: Moment;
}

/** A login has taken longer than it may. Nothing of it is written. */
class LoginDeadlineError extends UnavailableError {
  constructor() {
    super(`The login took longer than ${MAX_LOGIN_MS / 1000} s`);
  }
}

export function createFederatedLogin(deps: FederatedLoginDeps): FederatedLogin {
  const { database, clock, identityProviders, protocols, mappings, shadowUsers, groups } = deps;
  const settled = createRevisionCache<Settled>({
    revision: () => database.revision("facts"),
    maxEntries: MOST_REMEMBERED,
    keeps: ({ isComplete }) => isComplete,
    isGood: ({ goodUntil }) => clock.now() < goodUntil,
  });

  async function enter(key: ProtocolKey): Promise<Entrance> {
    const provider = await identityProviders.get(key.idpId);
    if (!provider.enabled)
      throw new AssertionForbiddenError({ step: "provider", reason: "the identity provider is disabled" });
    return { provider, protocol: await protocols.getOpened(key) };
  }

  const refusedBefore = createRefusedAssertions({ clock, revision: () => database.revision("facts") });

  function requireTime({ deadline }: Pick<Wish, "deadline">): void {
    if (clock.now() > deadline) throw new LoginDeadlineError();
  }

  async function write(transaction: Queries, { steps }: Plan, wish: Wish): Promise<void> {
    for (const step of steps) {
      requireTime(wish);
      await step.run(transaction);
    }
  }

  async function plan(queries: Queries, wish: Wish): Promise<Plan> {
    requireTime(wish);
    const { user, references, hasExactProjects } = wish;
    const { userId, isNew, steps, goodUntil } = await shadowUsers.plan(queries, user);
    const { projects, groupIds, isComplete } = references;
    const provisioned = { userId, isNew, projects, isExact: hasExactProjects };
    const more = await planProjects(deps, queries, provisioned);
    return { userId, isNew, groupIds, isComplete, goodUntil, steps: [...steps, ...more] };
  }

  /** Writes a plan that was made anew, where it changes no more than is told beforehand; else nothing. */
  function carryOut(wish: Wish, changes: readonly Topic[]): Promise<Plan | undefined> {
    return database.transaction(
      async (transaction) => {
        const fresh = await plan(transaction, wish);
        if (topicsOf(fresh).some((topic) => !changes.includes(topic))) return undefined;
        await write(transaction, fresh, wish);
        if (!changes.includes("revocations")) return fresh;
        return { ...fresh, endedAt: await deps.revocations.positionIn(transaction) };
      },
      { changes },
    );
  }

  /**
   * Writes a plan for a user who was not there, as it is: reading anew would have PostgreSQL see conflicts between all who
   * come for the first time. That somebody else has written meanwhile is told by what has to be unique.
   *
   * @returns `undefined` in that case.
   */
  async function introduce(planned: Plan, wish: Wish): Promise<Plan | undefined> {
    try {
      await database.transaction((transaction) => write(transaction, planned, wish), {
        changes: topicsOf(planned),
      });
      return planned;
    } catch (failure) {
      if (failure instanceof UniqueViolation || failure instanceof ForeignUserError) return undefined;
      throw failure;
    }
  }

  async function settle(wish: Wish): Promise<Settled> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const first = await plan(database, wish);
      if (first.steps.length === 0) return first;
      // Projects are read while they are made.
      const isPlain = first.isNew && wish.references.projects.length === 0 && attempt === 0;
      const done = await (isPlain ? introduce(first, wish) : carryOut(wish, topicsOf(first)));
      if (done !== undefined) return done;
    }
    throw new UnavailableError("The user is changing");
  }

  async function proveShadow(finished: FinishedIdentity, facts: LoginFacts): Promise<Proof> {
    const { provider, protocol, mapping, method, position } = facts;
    const named = nameUser(finished.identity.user, facts.assertion);
    const { hasOneDomain } = mapping;
    const login = [provider.id, protocol.id, protocol.mappingId, hasOneDomain, named];
    const key = shortened(JSON.stringify([login, finished.identity, [...finished.groupIdDomains]]));
    const {
      userId,
      groupIds,
      endedAt = position,
    } = await settled.get(key, async () => {
      const deadline = clock.now() + MAX_LOGIN_MS;
      const references = await findReferences(deps, finished, provider);
      reportNames(facts, named.name, references);
      const user: ShadowUser = {
        ...named,
        idpId: provider.id,
        protocolId: protocol.id,
        domainId: references.domainId,
        isDomainFixed: hasOneDomain,
        groupIds: references.groupIds,
        groupsLifetimeMs: (provider.authorizationTtl ?? 0) * 60_000,
      };
      return settle({ user, references, hasExactProjects: mapping.schemaVersion === "3.0", deadline });
    });
    const federation = { identityProviderId: provider.id, protocolId: protocol.id, groupIds };
    const proof = { userId, methods: [method], federation, isUserChecked: false };
    return { ...proof, position: Math.max(position, endedAt) };
  }

  /** The token rests on the provider all the same. */
  async function proveLocal(
    { identity: { user } }: FinishedIdentity,
    { provider, protocol, method, position }: LoginFacts,
  ): Promise<Proof> {
    const userId = await findLocalUser(deps, user, provider);
    const key = { identityProviderId: provider.id, protocolId: protocol.id };
    const federation = { ...key, groupIds: [], isLocalUser: true };
    return { userId, methods: [method], federation, position, isUserChecked: false };
  }

  return {
    enter,

    async prove(assertion, { method = assertion.protocolId, log } = {}) {
      const { identityProviderId: idpId, protocolId: id, expiresAt } = assertion;
      // Before the provider is read: what ends its tokens from now on ends this one.
      const { position } = await deps.revocations.known();
      const { provider, protocol } = await enter({ idpId, id });
      checkRemoteId(provider, assertion);
      checkTime(assertion, clock.now());
      const mapping = await mappings.getCompiled(protocol.mappingId);
      refusedBefore.check(assertion);
      try {
        const finished = mapped(mapping, assertion);
        const facts = { provider, protocol, mapping, method, assertion, position, log };
        const prove = finished.identity.user.type === "local" ? proveLocal : proveShadow;
        return { ...(await prove(finished, facts)), ...(expiresAt !== undefined && { expiresAt }) };
      } catch (cause) {
        if (isCostly(cause)) refusedBefore.remember(assertion, cause);
        if (!(cause instanceof ForeignUserError)) throw cause;
        const refusal = { step: "user", reason: "a user of this id is of another provider or domain" };
        throw new AssertionForbiddenError(refusal, { cause });
      }
    },

    async requireStanding({ identityProviderId, protocolId, groupIds }) {
      const { protocol } = await enter({ idpId: identityProviderId, id: protocolId });
      await mappings.getCompiled(protocol.mappingId);
      const found = groupIds.length === 0 ? [] : await groups.findGroupsById(groupIds);
      if (found.length < new Set(groupIds).size)
        throw new AssertionRefusedError({ step: "groups", reason: "a group of the token is gone" });
    },
  };
}

interface LoginFacts extends Entrance {
  readonly mapping: Mapping;
  readonly method: string;
  readonly assertion: VerifiedAssertion;
  /** The revocation position at which the provider was read. */
  readonly position: number;
  readonly log: VerifierLog | undefined;
}

/** A refusal that came after much work, or after rules ran out of steps. */
function isCostly(failure: unknown): failure is Error {
  return (
    failure instanceof TooManyReferencesError ||
    failure instanceof LoginDeadlineError ||
    failure instanceof TooMuchWorkError
  );
}

/** Names that may have been made to look like others. The names themselves are not for the log. */
function reportNames(
  { provider, protocol, log }: LoginFacts,
  name: string,
  { unusableNames }: FoundReferences,
): void {
  const federation = { idpId: provider.id, id: protocol.id, step: "names" };
  const scripts = mixedScripts(name);
  if (scripts.length > 0) {
    const reason = `the user's name mixes scripts (UTS 39): ${scripts.join(", ")}`;
    log?.warn({ federation: { ...federation, reason } }, "name may look like another one");
  }
  for (const fault of unusableNames)
    log?.warn({ federation: { ...federation, reason: `the name of a group ${fault}` } }, "group left aside");
}

/** So that what is remembered of users with many groups stays small. */
function shortened(key: string): string {
  return key.length < 1000 ? key : createHash("sha256").update(key).digest("base64");
}

function topicsOf({ steps }: Plan): Topic[] {
  return [...new Set(steps.flatMap(({ changes }) => changes))];
}

/** A provider that lists no names by which it calls itself is known by its address here alone. */
function checkRemoteId({ remoteIds }: IdentityProvider, { remoteId }: VerifiedAssertion): void {
  if (remoteIds.length === 0) return;
  if (remoteId === undefined)
    throw new AssertionRefusedError({ step: "remote-id", reason: "the assertion does not say whose it is" });
  if (!remoteIds.includes(remoteId))
    throw new AssertionForbiddenError({ step: "remote-id", reason: "the assertion is of another provider" });
}

function checkTime({ expiresAt = Infinity }: VerifiedAssertion, now: Moment): void {
  if (expiresAt <= now) throw new AssertionRefusedError({ step: "time", reason: "the assertion has ended" });
}

/** The rules have taken too many steps for an assertion. */
class TooMuchWorkError extends AssertionRefusedError {}

function mapped(mapping: Mapping, { attributes }: VerifiedAssertion): FinishedIdentity {
  const outcome = evaluateMapping(mapping, attributes);
  const factsOf = (reason: string) => ({ step: "mapping", reason, attributes: Object.keys(attributes) });
  const refuse = (reason: string) => new AssertionRefusedError(factsOf(reason));
  if (outcome.kind === "failed") {
    const { reason, place = "the rules" } = outcome.failure;
    if (reason === "too-much-work") throw new TooMuchWorkError(factsOf(`${place}: ${reason}`));
    throw refuse(`${place}: ${reason}`);
  }
  // Beside the attributes, since JSON in one of them may hide it, and REMOTE_USER may name a user without the mapping.
  if (hasNul(attributes) || hasNul(outcome.identity)) throw refuse("a text has the character U+0000");
  return outcome;
}
