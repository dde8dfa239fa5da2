/** Login: issues a token for a proof of identity and a requested scope. */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { DomainReference, QualifiedReference } from "../platform/database/domain-scoped-names.js";
import type { NewId } from "../platform/ids.js";
import type { TokenPositions } from "../tokens/revocation.js";
import type { TokenFactsReader, ValidFacts } from "../tokens/token-facts.js";
import type { TokenPayload, TokenScope } from "../tokens/token-payload.js";
import { credentialsOf, expiryOf, type Token, type TokenService } from "../tokens/token-service.js";
import {
  activeRules,
  rulesBegun,
  satisfiesRules,
  type MultiFactorRules,
} from "../users/multi-factor-rules.js";
import { type UserOptions } from "../users/user-options.js";
import { FailedLoginError, MoreMethodsRequiredError, TrustForbiddenError } from "./auth-errors.js";
import { combineProofs, type Proof } from "./auth-methods.js";
import type { ScopeRequest } from "./login-request.js";
import { createTrustLogins, type TrustLoginDeps } from "./methods/trust-login.js";
import type { Receipts } from "./receipts.js";

export interface LoginDeps extends TrustLoginDeps, Pick<Platform, "clock"> {
  readonly tokens: Pick<TokenService, "seal">;
  readonly facts: TokenFactsReader;
  readonly users: {
    readonly findUser: (reference: { readonly id: string }) => Promise<LoginUser | undefined>;
  };
  readonly receipts: Receipts;
  /** Throws if the domain's users are in a directory. */
  readonly requireSqlDriver: (domainId: string) => Promise<void>;
  readonly projects: {
    readonly findDomain: (reference: DomainReference) => Promise<{ readonly id: string } | undefined>;
    readonly findProject: (reference: QualifiedReference) => Promise<{ readonly id: string } | undefined>;
  };
  /** Generates audit ids: 22 characters of base64. */
  readonly newAuditId: NewId;
  readonly lifetimeMs: number;
}

interface LoginUser {
  readonly domainId: string;
  readonly defaultProjectId: string | null;
  readonly options: UserOptions;
}

/** A new token. */
export interface IssuedToken extends Token {
  readonly text: string;
}

/** @param receipt A receipt of an earlier login with other methods, whose proof is added; none if empty. */
export type Login = (proof: Proof, scope: ScopeRequest, receipt?: string) => Promise<IssuedToken>;

/** A scope that the user may have a token for. */
interface ResolvedScope extends ValidFacts {
  readonly scope: TokenScope;
}

/** Cached references to scopes. */
const MAX_SCOPES = 10_000;
/** Cached users. */
const MAX_USERS = 10_000;

/** What logins check of the user who logs in. */
interface UserTerms {
  readonly rules: MultiFactorRules;
  /** `undefined` where the user was deleted. */
  readonly domainId: string | undefined;
}

/**
 * Issues the tokens of every method.
 *
 * @returns A function that throws {@link FailedLoginError} if the user may not have such a token, and
 *   {@link MoreMethodsRequiredError} if the user's multi-factor rules demand more methods.
 */
export function createLogin(deps: LoginDeps): Login {
  const { database, tokens, facts, receipts, clock, newAuditId, lifetimeMs } = deps;
  const revision = () => database.revision("facts");
  const scopes = createRevisionCache<TokenScope>({ revision, maxEntries: MAX_SCOPES });
  const trustLogins = createTrustLogins(deps);
  const terms = createRevisionCache<UserTerms>({ revision, maxEntries: MAX_USERS });

  const termsOf = (userId: string): UserTerms | Promise<UserTerms> =>
    terms.get(userId, async () => {
      const user = await deps.users.findUser({ id: userId });
      return { rules: activeRules(user?.options ?? {}), domainId: user?.domainId };
    });

  /** Before the scope is resolved: a client with some of the methods learns nothing about scopes. */
  async function requireMethods(proof: Proof): Promise<void> {
    const { userId, methods, begunAt, isExemptFromRules = false } = proof;
    if (isExemptFromRules) return;
    const { rules } = await termsOf(userId);
    if (satisfiesRules(rules, methods)) return;
    const resolved = await requireScope(proof, proof.scope ?? { kind: "unscoped" });
    const made = payloadOf(proof, resolved);
    const payload = begunAt === undefined ? made : { ...made, issuedAt: begunAt };
    const token = { payload, facts: resolved.facts };
    throw new MoreMethodsRequiredError(await receipts.issue(token, rulesBegun(rules, methods)), userId);
  }

  function payloadOf(proof: Proof, resolved: ResolvedScope): TokenPayload {
    const issuedAt = clock.now();
    const auditChainId = proof.sessionChainId ?? proof.auditChainId;
    return {
      userId: proof.userId,
      methods: proof.methods,
      scope: resolved.scope,
      auditId: newAuditId(),
      ...(auditChainId !== undefined && { auditChainId }),
      issuedAt,
      expiresAt: Math.min(proof.expiresAt ?? Infinity, expiryOf(issuedAt, lifetimeMs)),
      ...(proof.federation !== undefined && { federation: proof.federation }),
      ...(proof.delegation !== undefined && { delegation: proof.delegation }),
      positions: positionsOf(proof, resolved),
    };
  }

  async function requireScope(proof: Proof, scope: TokenScope): Promise<ResolvedScope> {
    const found = await facts.read({ ...proof, scope });
    if ("facts" in found) return { ...found, scope };
    const { fault, isForbidden = false } = found;
    throw isForbidden
      ? new TrustForbiddenError({ cause: new FailedLoginError(fault) })
      : new FailedLoginError(fault, { userId: proof.userId });
  }

  async function defaultScope(proof: Proof): Promise<ResolvedScope> {
    const projectId = (await deps.users.findUser({ id: proof.userId }))?.defaultProjectId ?? null;
    if (projectId !== null) {
      const scope = { kind: "project", projectId } as const;
      const found = await facts.read({ ...proof, scope });
      if ("facts" in found) return { ...found, scope };
    }
    return requireScope(proof, { kind: "unscoped" });
  }

  async function resolve(proof: Proof, request: OwnScope): Promise<ResolvedScope> {
    if (proof.scope !== undefined) {
      // Clients of OAuth 1.0a send a scope, which is ignored, as in Keystone.
      const isIgnored = proof.delegation?.accessToken !== undefined;
      if (request.kind !== "any" && !isIgnored)
        throw new FailedLoginError("scope-fixed", { userId: proof.userId });
      return requireScope(proof, proof.scope);
    }
    if (request.kind !== "any")
      return requireScope(proof, await scopes.get(JSON.stringify(request), () => findScope(deps, request)));
    // Not for a token presented, whose scope was chosen before, nor for shadow users, who have no default project.
    const isFederated = proof.federation !== undefined && proof.federation.isLocalUser !== true;
    const hasDefault = proof.auditChainId === undefined && !isFederated;
    return hasDefault ? defaultScope(proof) : requireScope(proof, { kind: "unscoped" });
  }

  async function issue(proof: Proof, resolved: ResolvedScope): Promise<IssuedToken> {
    await deps.requireSqlDriver(resolved.facts.user.domain.id);
    // Also of requests that were signed with a key of the trust.
    const { trustId } = proof.delegation ?? {};
    if (trustId !== undefined) await trustLogins.takeUse(trustId);
    const payload = payloadOf(untilScopeExpires(proof, resolved), resolved);
    return { payload, facts: resolved.facts, text: await tokens.seal(payload) };
  }

  return async (given, request, receipt = "") => {
    const proof = receipt === "" ? given : combineProofs([await receipts.prove(receipt), given]);
    await requireMethods(proof);
    if (request.kind !== "trust") return issue(proof, await resolve(proof, request));
    const { proof: bearer, scope } = await trustLogins.logIn(proof, request.trustId);
    // The bearer may be the trustor, of another domain than the user who logs in.
    const { domainId } = await termsOf(proof.userId);
    if (domainId !== undefined) await deps.requireSqlDriver(domainId);
    return issue(bearer, await requireScope(bearer, scope));
  };
}

/** Issues the token of a login request, which may carry the receipt of an earlier login. */
export async function issueToken(
  { login }: { readonly login: Login },
  request: FastifyRequest,
  { proof, scope }: { readonly proof: Proof; readonly scope: ScopeRequest },
): Promise<IssuedToken> {
  request.provedUserId = proof.userId;
  const receipt = [request.headers["openstack-auth-receipt"]].flat().join("");
  const issued = await login(proof, scope, receipt);
  // For the audit log.
  request.caller = credentialsOf(issued);
  return issued;
}

/** A scope in which the user has roles. */
type OwnScope = Exclude<ScopeRequest, { readonly kind: "trust" }>;

/** Facts are cached, and may be older than the proof: what rests on them counts from their position. */
function positionsOf({ position, isUserChecked }: Proof, resolved: ResolvedScope): TokenPositions {
  const proof = isUserChecked ? position : Math.min(position, resolved.position);
  return { proof, scope: resolved.scope.kind === "unscoped" ? proof : resolved.position };
}

/** A token expires with its delegation, and with expiring group memberships that its roles may come from. */
function untilScopeExpires(proof: Proof, { scope, facts }: ResolvedScope): Proof {
  const { groupsEndAt, delegationEndsAt } = facts;
  const endsAt = Math.min(scope.kind === "unscoped" ? Infinity : groupsEndAt, delegationEndsAt);
  return endsAt === Infinity ? proof : { ...proof, expiresAt: Math.min(proof.expiresAt ?? Infinity, endsAt) };
}

async function findScope(
  { projects }: LoginDeps,
  request: Exclude<OwnScope, { readonly kind: "any" }>,
): Promise<TokenScope> {
  if (request.kind === "domain") {
    const domain = await projects.findDomain(request.domain);
    if (domain === undefined) throw new FailedLoginError("scope-domain-unknown");
    return { kind: "domain", domainId: domain.id };
  }
  if (request.kind === "project") {
    const project = await projects.findProject(request.project);
    if (project === undefined) throw new FailedLoginError("scope-project-unknown");
    return { kind: "project", projectId: project.id };
  }
  return request;
}
