/**
 * Test logins: an assertion passes every check of a login, and no user is created and no token issued. The assertion counts as used.
 *
 * The result, with the values of attributes, is for the user who asked for it. A browser's login begins and ends in the browser that
 * asked for it: a user who follows its address elsewhere would show the administrator what the provider knows of that user.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import type { Platform } from "../../area.js";
import type { DomainConfigService } from "../../domain-config/domain-config-service.js";
import {
  isBrowserStep,
  type BrowserStep,
  type FederatedRequest,
  type VerifiedAssertion,
  type EnabledProtocol,
} from "../../federation/assertion-verifier.js";
import type { PendingLogins } from "../../federation/browser/pending-logins.js";
import { testFinishedPage } from "../../federation/browser/websso-pages.js";
import type { FederatedLogin, LoginRehearsal } from "../../federation/federated-login.js";
import { AssertionRefusedError } from "../../federation/federation-errors.js";
import { createLoginTrace, type LoginTrace } from "../../federation/login-trace.js";
import type { ProtocolLogins, ProtocolTypes } from "../../federation/protocols/protocol-type.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import {
  errorClass,
  InvalidError,
  NotFoundError,
  ServiceError,
  UnauthorizedError,
} from "../../platform/errors.js";
import { LOGIN_REASONS } from "../../platform/login-reasons.js";
import type { ProjectService } from "../../projects/project-service.js";
import type { TokenFactsReader } from "../../tokens/token-facts.js";
import { resultOf, type FinishedTest, type TestLoginResultDeps } from "./test-login-result.js";
import type { TestLoginDraft, TestLoginResult } from "./test-login-schema.js";
import {
  deleteExpiredTests,
  deleteSurplus,
  findTestLogin,
  insertTestLogin,
  isTestBegun,
  markBegun,
  putResult,
  type StoredTestLogin,
} from "./test-login-store.js";

export interface TestLoginsDeps
  extends TestLoginResultDeps, Pick<Platform, "database" | "clock" | "newId" | "links"> {
  readonly pendingLogins: Pick<PendingLogins, "seal" | "unseal">;
  readonly federatedLogin: Pick<FederatedLogin, "requireTestable" | "rehearse">;
  readonly types: Pick<ProtocolTypes, "find" | "types">;
  readonly verify: ProtocolLogins["verify"];
  readonly projects: TestLoginResultDeps["projects"] & Pick<ProjectService, "findDomain">;
  readonly domainConfigs: Pick<DomainConfigService, "requireSqlDriver">;
  readonly facts: TokenFactsReader;
}

/** A test login as its creator sees it. */
export interface TestLogin extends Omit<StoredTestLogin, "sealedResult" | "browser"> {
  readonly loginUrl: string | undefined;
  readonly result: TestLoginResult | undefined;
}

export interface NewTest {
  readonly login: TestLogin;
  /** The `Set-Cookie` value that lets the browser log in; `undefined` if it has nothing to do. */
  readonly cookie: string | undefined;
}

export interface TestLoginCaller {
  readonly userId: string;
  /** The address and the log of the request. */
  readonly request: Pick<FederatedRequest, "clientAddress" | "log">;
}

export interface TestLogins {
  /** @throws {ProtocolNotFoundError} {@link TestLoginTypeError} */
  create(key: ProtocolKey, draft: TestLoginDraft, caller: TestLoginCaller): Promise<NewTest>;
  /** @throws {TestLoginNotFoundError} Also for a test login of another user. */
  show(key: ProtocolKey, id: string, userId: string): Promise<TestLogin>;
  /** Sends the browser that asked for the test login to the provider. @throws {TestLoginBrowserError} Another browser, or a second time. */
  begin(key: ProtocolKey, id: string, request: FederatedRequest): Promise<BrowserStep>;
  /** Whether a browser may be at the provider for a test login. */
  isBegun(key: ProtocolKey): Promise<boolean>;
  /** Stores the result of a browser's login that returned. @param verified Throws what a login would be rejected for. */
  finish(
    test: { readonly trace: LoginTrace; readonly enabled: EnabledProtocol },
    verified: () => Promise<VerifiedAssertion>,
  ): Promise<BrowserStep>;
  /** Deletes some expired ones. @returns Whether there may be more. */
  purge(): Promise<boolean>;
}

export class TestLoginNotFoundError extends errorClass(
  NotFoundError,
  "federation/test-login-not-found",
  (id: string) => `Could not find test login: ${id}.`,
) {}

/** The protocol's settings do not accept what is to be tested. */
export class TestLoginTypeError extends errorClass(InvalidError, "federation/test-login-type") {}

/** A browser that may not begin the test login. */
export class TestLoginBrowserError extends errorClass(UnauthorizedError, "federation/test-login-browser") {
  override readonly isShown = true;
}

const LIFE_MS = 600_000;
/** Test logins that a user has at a time. */
const MAX_PER_USER = 20;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;
const COOKIE = "identity-test-login";

export function createTestLogins(deps: TestLoginsDeps): TestLogins {
  const { database, clock, newId, links, pendingLogins, federatedLogin, types, verify } = deps;

  const addressOf = ({ idpId, id }: ProtocolKey, ...parts: readonly string[]) =>
    links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id, "test_logins", ...parts);

  /** Verifies, and does what a login would do. */
  async function tryOut(
    trace: LoginTrace,
    enabled: EnabledProtocol,
    verified: () => Promise<VerifiedAssertion>,
  ): Promise<FinishedTest["outcome"]> {
    const { idpId, id } = enabled;
    try {
      const rehearsal = await federatedLogin.rehearse(await verified(), enabled, trace);
      const fault = await faultOf(deps, { idpId, id }, rehearsal);
      if (fault !== undefined) throw new AssertionRefusedError({ step: "user", reason: fault });
      return { rehearsal };
    } catch (failure) {
      if (!(failure instanceof ServiceError)) throw failure;
      return { failure };
    }
  }

  async function store(testId: string, finished: FinishedTest, expiresAt: number): Promise<TestLoginResult> {
    const result = await resultOf(deps, finished);
    const sealed = pendingLogins.seal({ kind: "test-login", id: testId, expiresAt, data: result });
    await database.transaction((transaction) => putResult(transaction, testId, sealed), UNCACHED);
    return result;
  }

  async function requireTest({ idpId, id }: ProtocolKey, testId: string): Promise<StoredTestLogin> {
    const found = await findTestLogin(database, testId);
    const isHere = found?.idpId === idpId && found.protocolId === id && clock.now() < found.expiresAt;
    if (!isHere) throw new TestLoginNotFoundError(testId);
    return found;
  }

  function viewOf({ sealedResult, browser, ...login }: StoredTestLogin): TestLogin {
    const result =
      sealedResult === null
        ? undefined
        : (pendingLogins.unseal("test-login", login.id, sealedResult) as TestLoginResult | undefined);
    const isOpen = browser !== null && login.begunAt === null;
    const key = { idpId: login.idpId, id: login.protocolId };
    return { ...login, loginUrl: isOpen ? addressOf(key, login.id, "login") : undefined, result };
  }

  /** The result page tells no more than that there is one. */
  async function finish(
    { trace, enabled }: { readonly trace: LoginTrace; readonly enabled: EnabledProtocol },
    verified: () => Promise<VerifiedAssertion>,
  ): Promise<BrowserStep> {
    const { testLoginId: testId = "" } = trace;
    const found = await findTestLogin(database, testId);
    if (found === undefined || clock.now() >= found.expiresAt) throw new TestLoginNotFoundError(testId);
    const outcome = await tryOut(trace, enabled, verified);
    const checks = types.find(enabled.settings)?.loginChecks ?? [];
    const { steps } = await store(testId, { checks, trace, outcome }, found.expiresAt);
    return testFinishedPage(steps.find(({ status }) => status === "failed")?.step);
  }

  return {
    async create(key, draft, { userId, request }) {
      const testId = newId();
      const trace = createLoginTrace(testId);
      const enabled = await federatedLogin.requireTestable(key);
      requireType(draft, enabled, types);
      const type = types.find(enabled.settings);
      const { kind = "browser", text = "" } = partOf(draft);
      const now = clock.now();
      const isByBrowser = kind === "browser";
      const secret = randomBytes(32).toString("base64url");
      const login: StoredTestLogin = {
        id: testId,
        idpId: key.idpId,
        protocolId: key.id,
        userId,
        browser: isByBrowser ? digestOf(secret) : null,
        begunAt: isByBrowser ? null : now,
        sealedResult: null,
        createdAt: now,
        expiresAt: now + LIFE_MS,
      };
      await database.transaction(async (transaction) => {
        await deleteSurplus(transaction, userId, MAX_PER_USER - 1);
        await insertTestLogin(transaction, login);
      }, UNCACHED);
      if (isByBrowser) return { login: viewOf(login), cookie: cookieOf(addressOf(key, testId), secret) };
      const tested = type?.testRequests?.[kind];
      const sent = tested?.request(text);
      const verified = async () => {
        const result = await verify({ ...EMPTY, ...request, ...sent, trace }, enabled);
        if (isBrowserStep(result)) throw new TypeError("a message was sent, and the verifier begins a login");
        return result;
      };
      const outcome = await tryOut(trace, enabled, verified);
      const checks = (type?.loginChecks ?? []).filter((check) => tested?.without?.includes(check) !== true);
      const result = await store(testId, { checks, trace, outcome }, login.expiresAt);
      return { login: { ...viewOf(login), result }, cookie: undefined };
    },

    async show(key, testId, userId) {
      const found = await requireTest(key, testId);
      if (found.userId !== userId) throw new TestLoginNotFoundError(testId);
      return viewOf(found);
    },

    async begin(key, testId, request) {
      const found = await requireTest(key, testId);
      if (!isBrowserOf(found, request, addressOf(key, testId)))
        throw new TestLoginBrowserError("The test login was requested in another browser.");
      const begun = await database.transaction(
        (transaction) => markBegun(transaction, testId, clock.now()),
        UNCACHED,
      );
      if (!begun) throw new TestLoginBrowserError("The test login has begun before: request another one.");
      const trace = createLoginTrace(testId);
      const enabled = await federatedLogin.requireTestable(key);
      try {
        const step = await verify({ ...request, trace }, enabled);
        if (isBrowserStep(step)) return step;
      } catch (failure) {
        // Such as a discovery document that can't be read.
        if (!(failure instanceof ServiceError)) throw failure;
        return finish({ trace, enabled }, () => Promise.reject(failure));
      }
      throw new TestLoginBrowserError("The request carries a login of its own.");
    },

    isBegun: (key) => isTestBegun(database, key, clock.now()),

    finish,

    purge: () => deleteExpiredTests(database, clock.now()),
  };
}

/** @throws {TestLoginTypeError} */
function requireType(draft: TestLoginDraft, enabled: EnabledProtocol, types: TestLoginsDeps["types"]): void {
  const type = types.find(enabled.settings);
  const testable = types.types.filter(({ testRequests }) => testRequests !== undefined);
  if (type?.testRequests === undefined)
    throw new TestLoginTypeError(
      `The protocol has no settings of type ${namesOf(testable)}: a front end verifies its logins.`,
    );
  const { kind } = partOf(draft);
  if (kind !== undefined && type.testRequests[kind] === undefined) {
    const accepting = testable.filter(({ testRequests }) => testRequests?.[kind] !== undefined);
    throw new TestLoginTypeError(
      `"${kind}" can't be tested: the protocol's settings are of type "${type.type}", expected ${namesOf(accepting)}.`,
    );
  }
}

const namesOf = (types: readonly { readonly type: string }[]): string =>
  types.map(({ type }) => `"${type}"`).join(" or ");

/** The only member; none for a browser's login. */
function partOf(draft: TestLoginDraft): { kind?: string; text?: string } {
  const [part] = Object.entries(draft);
  return part === undefined ? {} : { kind: part[0], text: part[1] };
}

/** Only what is tested: headers of the request are those of its sender. */
const EMPTY = {
  method: "POST",
  headers: {},
  rawHeaders: [],
  query: new Map<string, string>(),
  form: new Map<string, string>(),
  text: undefined,
  peerAddress: "",
  origin: undefined,
} as const satisfies Partial<FederatedRequest>;

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Sent to the test login alone, and by links of the console's own site. */
function cookieOf(address: string, secret: string): string {
  const { pathname, protocol } = new URL(address);
  const isSecure = protocol === "https:";
  const parts = [
    `${cookieName(isSecure)}=${secret}`,
    `Path=${pathname.replaceAll(";", "%3B")}`,
    `Max-Age=${LIFE_MS / 1000}`,
    "HttpOnly",
    ...(isSecure ? ["Secure"] : []),
    "SameSite=Lax",
  ];
  return parts.join("; ");
}

/** Browsers accept the prefix over HTTPS alone, so that a page over HTTP can't set it. */
const cookieName = (isSecure: boolean): string => (isSecure ? `__Secure-${COOKIE}` : COOKIE);

function isBrowserOf({ browser }: StoredTestLogin, { headers }: FederatedRequest, address: string): boolean {
  const name = cookieName(new URL(address).protocol === "https:");
  if (browser === null) return false;
  return (headers.cookie ?? "").split(";").some((pair) => {
    const [key = "", value = ""] = pair.trim().split(/=(.*)/s);
    return key === name && timingSafeEqual(Buffer.from(digestOf(value)), Buffer.from(browser));
  });
}

/** The fault for which `login` refuses a token, if any. A user who does not exist yet has no fault but that of the domain. */
async function faultOf(
  { projects, domainConfigs, facts }: Pick<TestLoginsDeps, "projects" | "domainConfigs" | "facts">,
  key: ProtocolKey,
  { userId, isNew, groupIds, user, unstoredUser }: LoginRehearsal,
): Promise<string | undefined> {
  if (isNew && user !== undefined) {
    const domain = await projects.findDomain({ id: user.domainId });
    await domainConfigs.requireSqlDriver(user.domainId);
    return domain?.enabled === true ? undefined : LOGIN_REASONS["user-domain-disabled"];
  }
  const federation = {
    identityProviderId: key.idpId,
    protocolId: key.id,
    groupIds,
    ...(user === undefined && { isLocalUser: true as const }),
    ...(unstoredUser !== undefined && { unstoredUser }),
  };
  const found = await facts.read({ userId, scope: { kind: "unscoped" }, federation });
  // A provider that is being set up may be disabled.
  if ("fault" in found) return found.fault === "provider-disabled" ? undefined : LOGIN_REASONS[found.fault];
  await domainConfigs.requireSqlDriver(found.facts.user.domain.id);
  return undefined;
}
