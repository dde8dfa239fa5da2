/** The session: who is signed in, with which scope. The service keeps it; the page knows what it may show. */
import { api, ask, askConsole, recoverSessionBy } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Scope {
  readonly system?: { readonly all: true };
  readonly domain?: Named;
  readonly project?: Named & { readonly domain: Named };
}

/** A request's scope, as POST /v3/auth/tokens takes it. */
export type ScopeRequest =
  | "unscoped"
  | { readonly system: { readonly all: true } }
  | { readonly domain: { readonly id: string } }
  | { readonly project: { readonly id: string } };

export interface Session {
  readonly user: Named & { readonly domain: Named; readonly password_expires_at?: string | null };
  readonly scope: Scope | null;
  readonly roles: readonly Named[];
  readonly expires_at: string;
  /** The token's body, as GET /v3/auth/tokens returns it. */
  readonly token: Readonly<Record<string, unknown>>;
}

/** A login that needs further methods: the body of the service's 401. */
export interface UnfinishedLogin {
  readonly receipt: {
    readonly methods: readonly string[];
    readonly user: Named & { readonly domain: Named };
  };
  /** The user's rules; each is a list of methods that suffice together. */
  readonly required_auth_methods: readonly (readonly string[])[];
}

let current = $state.raw<Session | undefined>();
let status = $state<"loading" | "ready" | "failed">("loading");
let error = $state.raw<unknown>();
let unfinished = $state.raw<UnfinishedLogin | undefined>();
/** Why there is no session any more, for the sign-in page. */
let notice = $state<string | undefined>();
/** `current` expired or was revoked: its page stays, behind the sign-in. */
let isEnded = $state(false);
let isBeginning = false;
/** Requests that the end of the session rejected, until someone signs in. */
let waiting: ((isSameSession: boolean) => void)[] = [];
let confirming: Promise<void> | undefined;

export const session = {
  /** `undefined` without a login. */
  get current(): Session | undefined {
    return current;
  },
  /** Of the user and the scope: pages of another one begin anew. */
  get key(): string {
    return JSON.stringify([current?.user.id, current?.scope]);
  },
  get status() {
    return status;
  },
  /** Set if `status` is `failed`: the service can't be asked. */
  get error() {
    return error;
  },
  get notice() {
    return notice;
  },
  /** The page stays with what was typed, and its user has to sign in again. */
  get isEnded(): boolean {
    return isEnded;
  },
  /** Set while further factors are missing. */
  get unfinished(): UnfinishedLogin | undefined {
    return unfinished;
  },

  /** Asks the service for the session of the browser's cookie. */
  async load(): Promise<void> {
    status = "loading";
    try {
      await begin(await askConsole<SessionBody>("/session"));
      status = "ready";
    } catch (caught) {
      current = undefined;
      const isSignedOut = caught instanceof ApiError && caught.status === 401;
      unfinished = isSignedOut ? unfinishedIn(caught) : undefined;
      status = isSignedOut ? "ready" : "failed";
      error = isSignedOut ? undefined : caught;
    }
  },

  /**
   * Logs in, or gives the next factor of a login.
   *
   * @param auth The member `auth` of a body of POST /v3/auth/tokens.
   * @throws {ApiError} Refused. If further factors are missing, it returns, and `unfinished` is set.
   */
  async signIn(auth: object): Promise<void> {
    try {
      await begin(await askConsole<SessionBody>("/session", { method: "POST", body: { auth } }));
    } catch (caught) {
      const next = caught instanceof ApiError ? unfinishedIn(caught) : undefined;
      if (next === undefined) throw caught;
      // The cookie is that of the unfinished login now.
      isEnded = current !== undefined;
      unfinished = next;
    }
  },

  /** Resumes with the session that another tab began, if the session of this page expired. */
  async resume(): Promise<void> {
    if (!isEnded) return;
    try {
      await begin(await askConsole<SessionBody>("/session"));
    } catch (caught) {
      // The tab's login may need another factor.
      unfinished = (caught instanceof ApiError ? unfinishedIn(caught) : undefined) ?? unfinished;
    }
  },

  /** Gives up a login that needs further factors. */
  startAgain(): void {
    unfinished = undefined;
  },

  /** Changes the scope, without a new login. @throws {ApiError} */
  async rescope(scope: ScopeRequest): Promise<void> {
    await setScope(scope);
    keepScope(scope);
  },

  /** Ends the session and its token. @throws {ApiError} */
  async signOut(): Promise<void> {
    await askConsole("/session", { method: "DELETE" });
    current = undefined;
    isEnded = false;
    notice = "You signed out.";
  },

  /** The service rejected the session: it expired, or was revoked. @param why For the sign-in form. */
  end(why: string): void {
    isEnded = current !== undefined;
    notice = why;
  },
};

interface SessionBody {
  readonly session: Session;
}

/**
 * The page of a session that ended goes on in its scope, if its user is the same. Otherwise, a session without a scope can do nothing:
 * it gets the scope that this user had last, or the widest.
 */
async function begin({ session: begun }: SessionBody): Promise<void> {
  const keyBefore = session.key;
  const last = current?.user.id === begun.user.id ? requestOf(current.scope) : undefined;
  isBeginning = true;
  if (last === undefined || !(await canSetScope(last))) {
    const isScoped = begun.scope !== null || (await findScope(begun.user.id));
    if (begun.scope !== null || !isScoped) current = begun;
  }
  isBeginning = false;
  unfinished = undefined;
  notice = undefined;
  isEnded = false;
  const rejected = waiting;
  waiting = [];
  for (const goOn of rejected) goOn(session.key === keyBefore);
}

/** A session's scope, as a request for it. */
function requestOf(scope: Scope | null): ScopeRequest | undefined {
  if (scope?.project !== undefined) return { project: { id: scope.project.id } };
  if (scope?.domain !== undefined) return { domain: { id: scope.domain.id } };
  return scope?.system === undefined ? undefined : { system: { all: true } };
}

/** @returns Whether the user has a role anywhere. */
async function findScope(userId: string): Promise<boolean> {
  const kept = keptScope(userId);
  if (kept !== undefined && (await canSetScope(kept))) return true;
  for (const scope of await widestScopes()) if (await canSetScope(scope)) return true;
  return false;
}

async function setScope(scope: ScopeRequest): Promise<void> {
  current = (await askConsole<SessionBody>("/session/scope", { method: "PUT", body: { scope } })).session;
}

async function canSetScope(scope: ScopeRequest): Promise<boolean> {
  try {
    await setScope(scope);
    return true;
  } catch {
    return false;
  }
}

/** One of each kind that the user has a role in: system, a domain, a project. */
async function widestScopes(): Promise<readonly ScopeRequest[]> {
  try {
    const [{ system }, { domains }, { projects }] = await Promise.all([
      ask(api.GET("/v3/auth/system")),
      ask(api.GET("/v3/auth/domains")),
      ask(api.GET("/v3/auth/projects")),
    ]);
    return [
      ...system.slice(0, 1).map(() => ({ system: { all: true } }) as const),
      ...domains.slice(0, 1).map(({ id }) => ({ domain: { id } })),
      ...projects.slice(0, 1).map(({ id }) => ({ project: { id } })),
    ];
  } catch {
    return [];
  }
}

const SCOPE_KEY = "console.scope";

/** For the next login of this user in this browser. */
function keepScope(scope: ScopeRequest): void {
  try {
    localStorage.setItem(SCOPE_KEY, JSON.stringify({ user: current?.user.id, scope }));
  } catch {
    // Storage may be switched off.
  }
}

function keptScope(userId: string): ScopeRequest | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(SCOPE_KEY) ?? "{}") as {
      user?: string;
      scope?: ScopeRequest;
    };
    return kept.user === userId ? kept.scope : undefined;
  } catch {
    return undefined;
  }
}

function unfinishedIn({ body }: ApiError): UnfinishedLogin | undefined {
  return "receipt" in body ? (body as unknown as UnfinishedLogin) : undefined;
}

/** A 401 may be about something else than the session, such as a wrong password in the request: the service is asked. */
async function confirmEnd(): Promise<void> {
  const before = current;
  try {
    await askConsole("/session");
  } catch (caught) {
    if (current === before && caught instanceof ApiError && caught.status === 401)
      session.end("Your session ended. Sign in again; this page stays open.");
  }
}

recoverSessionBy(async ({ url }) => {
  // While a session begins, its own requests would wait for themselves.
  if (current === undefined || isBeginning) return false;
  if (!isEnded) {
    confirming ??= confirmEnd().finally(() => (confirming = undefined));
    await confirming;
  }
  // The sign-in form changes expired passwords: a wrong one is its own matter.
  if (!isEnded || url.endsWith("/password")) return false;
  return new Promise((resolve) => waiting.push(resolve));
});

/** What a scope is called: `project web`, `domain acme`, `system`, `unscoped`. */
export function scopeName(scope: Scope | null): string {
  if (scope?.project !== undefined) return `project ${scope.project.name}`;
  if (scope?.domain !== undefined) return `domain ${scope.domain.name}`;
  return scope?.system === undefined ? "unscoped" : "system";
}
