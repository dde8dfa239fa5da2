/** From a proof of who somebody is to a token for what they ask. */
import type { Clock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import {
  activeRules,
  rulesBegun,
  satisfiesRules,
  type MultiFactorRules,
} from "../users/multi-factor-rules.js";
import type { UserOptions } from "../users/user-options.js";
import { combineProofs, type Proof } from "./auth-methods.js";
import type { Receipts } from "./receipts.js";
import type { DomainReference, NamedReference, ScopeRequest } from "./scope-request.js";
import type { TokenPositions } from "../tokens/revocation.js";
import { LoginRefusedError, MoreMethodsRequiredError } from "../tokens/token-errors.js";
import type { GoodStanding, TokenFactsReader } from "../tokens/token-facts.js";
import type { TokenPayload, TokenScope } from "../tokens/token-payload.js";
import { endOf, type Token, type TokenService } from "../tokens/token-service.js";

export interface LoginDeps {
  readonly database: Pick<Database, "revision">;
  readonly tokens: Pick<TokenService, "seal">;
  readonly facts: TokenFactsReader;
  readonly users: {
    readonly findUser: (reference: {
      readonly id: string;
    }) => Promise<{ readonly defaultProjectId: string | null; readonly options: UserOptions } | undefined>;
  };
  readonly receipts: Receipts;
  readonly projects: {
    readonly findDomain: (reference: DomainReference) => Promise<{ readonly id: string } | undefined>;
    readonly findProject: (reference: NamedReference) => Promise<{ readonly id: string } | undefined>;
  };
  readonly clock: Clock;
  /** Makes audit ids: 22 characters of base64. */
  readonly newAuditId: NewId;
  readonly lifetimeMs: number;
}

/** A token that was just made. */
export interface IssuedToken extends Token {
  readonly text: string;
}

/** @param receipt That of a login before with other methods, whose proof is added; none if empty. */
export type Login = (proof: Proof, scope: ScopeRequest, receipt?: string) => Promise<IssuedToken>;

/** What a token is for, and that the user may have it. */
interface Resolved extends GoodStanding {
  readonly scope: TokenScope;
}

/** Ways to name a scope that are remembered. */
const MAX_SCOPES = 10_000;
/** Users whose multi-factor rules are remembered. */
const MAX_USERS = 10_000;

/**
 * The one way to a token: every kind of login ends here.
 *
 * @returns A function that throws {@link LoginRefusedError} where the user may not have such a token, and
 *   {@link MoreMethodsRequiredError} where rules of the user ask for more methods.
 */
export function createLogin(deps: LoginDeps): Login {
  const { database, tokens, facts, receipts, clock, newAuditId, lifetimeMs } = deps;
  const revision = () => database.revision("facts");
  const found = createRevisionCache<TokenScope>({ revision, maxEntries: MAX_SCOPES });
  const rules = createRevisionCache<MultiFactorRules>({ revision, maxEntries: MAX_USERS });

  async function rulesOf(userId: string): Promise<MultiFactorRules> {
    return activeRules((await deps.users.findUser({ id: userId }))?.options ?? {});
  }

  /** Before its scope is looked at, about which nobody learns anything by a part of the methods. */
  async function requireMethods(proof: Proof): Promise<void> {
    const { userId, methods } = proof;
    const asked = await rules.get(userId, () => rulesOf(userId));
    if (satisfiesRules(asked, methods)) return;
    const standing = await stand(proof, { kind: "unscoped" });
    const { begunAt } = proof;
    const made = payloadOf(proof, standing);
    const payload = begunAt === undefined ? made : { ...made, issuedAt: begunAt };
    const token = { payload, facts: standing.facts };
    throw new MoreMethodsRequiredError(await receipts.issue(token, rulesBegun(asked, methods)));
  }

  function payloadOf(proof: Proof, resolved: Resolved): TokenPayload {
    const issuedAt = clock.now();
    return {
      userId: proof.userId,
      methods: proof.methods,
      scope: resolved.scope,
      auditId: newAuditId(),
      ...(proof.auditChainId !== undefined && { auditChainId: proof.auditChainId }),
      issuedAt,
      expiresAt: Math.min(proof.expiresAt ?? Infinity, endOf(issuedAt, lifetimeMs)),
      ...(proof.federation !== undefined && { federation: proof.federation }),
      positions: positionsOf(proof, resolved),
    };
  }

  async function stand(proof: Proof, scope: TokenScope): Promise<Resolved> {
    const standing = await facts.read({ ...proof, scope });
    if ("fault" in standing) throw new LoginRefusedError(standing.fault);
    return { ...standing, scope };
  }

  async function inDefaultProject(proof: Proof): Promise<Resolved> {
    const projectId = (await deps.users.findUser({ id: proof.userId }))?.defaultProjectId ?? null;
    if (projectId !== null) {
      const scope = { kind: "project", projectId } as const;
      const standing = await facts.read({ ...proof, scope });
      if ("facts" in standing) return { ...standing, scope };
    }
    return stand(proof, { kind: "unscoped" });
  }

  async function resolve(proof: Proof, request: ScopeRequest): Promise<Resolved> {
    // Who shows a token has chosen a scope before; a default is for those who come in, and have been here before.
    const isFederated = proof.federation !== undefined && proof.federation.isLocalUser !== true;
    const isComingIn = proof.auditChainId === undefined && !isFederated;
    if (request.kind === "any" && isComingIn) return inDefaultProject(proof);
    const scope =
      request.kind === "any"
        ? ({ kind: "unscoped" } as const)
        : await found.get(JSON.stringify(request), () => find(deps, request));
    return stand(proof, scope);
  }

  return async (given, request, receipt = "") => {
    const proof = receipt === "" ? given : combineProofs([await receipts.prove(receipt), given]);
    await requireMethods(proof);
    const resolved = await resolve(proof, request);
    const payload = payloadOf(withGroupsEnd(proof, resolved), resolved);
    return { payload, facts: resolved.facts, text: await tokens.seal(payload) };
  };
}

/** Facts are remembered, and may be older than the proof. What rests on them rests on events up to their position alone. */
function positionsOf({ position, isUserChecked }: Proof, standing: Resolved): TokenPositions {
  const proof = isUserChecked ? position : Math.min(position, standing.position);
  return { proof, scope: standing.scope.kind === "unscoped" ? proof : standing.position };
}

/** A token whose roles may come from groups ends with them. */
function withGroupsEnd(proof: Proof, { scope, facts: { groupsEndAt = Infinity } }: Resolved): Proof {
  if (scope.kind === "unscoped" || groupsEndAt === Infinity) return proof;
  return { ...proof, expiresAt: Math.min(proof.expiresAt ?? Infinity, groupsEndAt) };
}

async function find(
  { projects }: LoginDeps,
  request: Exclude<ScopeRequest, { readonly kind: "any" }>,
): Promise<TokenScope> {
  if (request.kind === "domain") {
    const domain = await projects.findDomain(request.domain);
    if (domain === undefined) throw new LoginRefusedError("there is no such domain");
    return { kind: "domain", domainId: domain.id };
  }
  if (request.kind === "project") {
    const project = await projects.findProject(request.project);
    if (project === undefined) throw new LoginRefusedError("there is no such project");
    return { kind: "project", projectId: project.id };
  }
  return request;
}
