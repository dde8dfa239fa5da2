/**
 * Test logins: an assertion passes every check of a login, and no user is created and no token issued. The assertion counts as used.
 *
 * The result, with the values of attributes, is for the user who asked for it. A browser's login begins and ends in the browser that
 * asked for it: a user who follows its address elsewhere would show the administrator what the provider knows of that user.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Clock } from "../../platform/clock.js";
import type { Database } from "../../platform/database/database.js";
import {
  errorClass,
  InvalidError,
  NotFoundError,
  ServiceError,
  UnauthorizedError,
} from "../../platform/errors.js";
import type { Links } from "../../platform/http/links.js";
import type { NewId } from "../../platform/ids.js";
import {
  isBrowserStep,
  type BrowserStep,
  type FederatedRequest,
  type VerifiedAssertion,
  type VerifierType,
} from "../assertion-verifier.js";
import type { BegunLogins } from "../browser/begun-logins.js";
import { testFinishedPage } from "../browser/websso-pages.js";
import type { EnabledProtocol, FederatedLogin, LoginRehearsal } from "../federated-login.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { createLoginTrace, type LoginTrace } from "../login-trace.js";
import type { VerifyLogin } from "../login-verification.js";
import { PAOS_TYPE } from "../saml/authn-request.js";
import { resultOf, type FinishedTest, type TestLoginResultDeps } from "./test-login-result.js";
import type { TestLoginDraft, TestLoginResult } from "./test-login-schema.js";
import {
  deleteExpiredTests,
  deleteSurplus,
  findTestLogin,
  insertTestLogin,
  markBegun,
  putResult,
  type StoredTestLogin,
} from "./test-login-store.js";

export interface TestLoginsDeps extends TestLoginResultDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly links: Links;
  readonly begunLogins: Pick<BegunLogins, "seal" | "unseal">;
  readonly federatedLogin: Pick<FederatedLogin, "requireEnabled" | "rehearse">;
  readonly verify: VerifyLogin;
  /** Why the user, if there is one already, could get no token; `undefined` if one could. */
  readonly faultOf: (key: ProtocolKey, rehearsal: LoginRehearsal) => Promise<string | undefined>;
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

/** The settings that accept each kind of draft. */
const TYPE_OF: Readonly<Record<keyof TestLoginDraft, VerifierType>> = {
  access_token: "openid",
  saml_response: "saml2",
  paos_response: "saml2",
};

export function createTestLogins(deps: TestLoginsDeps): TestLogins {
  const { database, clock, newId, links, begunLogins, federatedLogin, verify } = deps;

  const addressOf = ({ idpId, id }: ProtocolKey, ...parts: readonly string[]) =>
    links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id, "test_logins", ...parts);

  /** Verifies, and does what a login would do. */
  async function tryOut(
    trace: LoginTrace,
    enabled: EnabledProtocol,
    verified: () => Promise<VerifiedAssertion>,
  ): Promise<FinishedTest["outcome"]> {
    const { idpId, id } = enabled.protocol;
    try {
      const rehearsal = await federatedLogin.rehearse(await verified(), enabled, trace);
      const fault = await deps.faultOf({ idpId, id }, rehearsal);
      if (fault !== undefined) throw new AssertionRefusedError({ step: "user", reason: fault });
      return { rehearsal };
    } catch (failure) {
      if (!(failure instanceof ServiceError)) throw failure;
      return { failure };
    }
  }

  async function store(testId: string, finished: FinishedTest, expiresAt: number): Promise<TestLoginResult> {
    const result = await resultOf(deps, finished);
    const sealed = begunLogins.seal({ kind: "test-login", id: testId, expiresAt, data: result });
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
        : (begunLogins.unseal("test-login", login.id, sealedResult) as TestLoginResult | undefined);
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
    const type = typeOf(enabled);
    const { steps } = await store(testId, { type, isByToken: false, trace, outcome }, found.expiresAt);
    return testFinishedPage(steps.find(({ status }) => status === "failed")?.step);
  }

  return {
    async create(key, draft, { userId, request }) {
      const testId = newId();
      const trace = createLoginTrace(testId);
      const enabled = await federatedLogin.requireEnabled(key);
      const type = typeOf(enabled);
      requireType(draft, type);
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
      const verified = async () => {
        const result = await verify(enabled, { ...EMPTY, ...request, ...sentOf(kind, text) }, trace);
        if (isBrowserStep(result)) throw new TypeError("a message was sent, and the verifier begins a login");
        return result;
      };
      const outcome = await tryOut(trace, enabled, verified);
      const isByToken = kind === "access_token";
      const result = await store(testId, { type, isByToken, trace, outcome }, login.expiresAt);
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
      const enabled = await federatedLogin.requireEnabled(key);
      try {
        const step = await verify(enabled, request, trace);
        if (isBrowserStep(step)) return step;
      } catch (failure) {
        // Such as a discovery document that can't be read.
        if (!(failure instanceof ServiceError)) throw failure;
        return finish({ trace, enabled }, () => Promise.reject(failure));
      }
      throw new TestLoginBrowserError("The request carries a login of its own.");
    },

    finish,

    purge: () => deleteExpiredTests(database, clock.now()),
  };
}

function typeOf({ protocol }: EnabledProtocol): VerifierType {
  return protocol.opened?.type ?? "forwarded";
}

function requireType(draft: TestLoginDraft, type: VerifierType): void {
  if (type === "forwarded")
    throw new TestLoginTypeError(
      'The protocol has no settings of type "openid" or "saml2": a front end verifies its logins.',
    );
  const { kind } = partOf(draft);
  if (kind !== undefined && TYPE_OF[kind] !== type)
    throw new TestLoginTypeError(
      `"${kind}" can't be tested: the protocol's settings are of type "${type}", expected "${TYPE_OF[kind]}".`,
    );
}

/** The only member; none for a browser's login. */
function partOf(draft: TestLoginDraft): { kind?: keyof TestLoginDraft; text?: string } {
  const [part] = Object.entries(draft) as [keyof TestLoginDraft, string][];
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

function sentOf(kind: keyof TestLoginDraft, text: string): Partial<FederatedRequest> {
  if (kind === "access_token") return { method: "GET", headers: { authorization: `Bearer ${text}` } };
  if (kind === "paos_response") return { headers: { "content-type": PAOS_TYPE }, text };
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    form: new Map([["SAMLResponse", text]]),
  };
}

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
