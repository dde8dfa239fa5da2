import fc from "fast-check";
import type { LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "./databases.js";
import { goldenRows, hasGolden } from "./golden.js";
import { hostileRequests, type HostileRequest, type Route } from "./hostile-requests.js";
import { testApp, type TestApp } from "./test-app.js";

const REQUESTS = 1500;
/** Longer is a hang. */
const PATIENCE_MS = 10_000;
const PASSWORD = "adminpw";

/** One body of each kind that creates something. */
const CREATIONS: readonly object[] = [
  { project: { name: "p", domain_id: "default", tags: ["a"], options: { immutable: false }, enabled: true } },
  { domain: { name: "d", description: "text", enabled: false } },
  {
    user: {
      name: "u",
      domain_id: "default",
      password: "pw",
      options: { lock_password: false },
      email: "a@b",
    },
  },
  { group: { name: "g", domain_id: "default", description: "text" } },
  { role: { name: "r", options: { immutable: false } } },
  { region: { id: "hostile-region", parent_region_id: null, description: "text" } },
  { service: { type: "t", name: "s", enabled: true } },
];

/** What else clients send. */
const OTHERS: readonly object[] = [
  { auth: { identity: passwordOf("wrong"), scope: { project: { name: "p", domain: { id: "default" } } } } },
  { auth: { identity: { methods: ["token"], token: { id: "nonsense" } }, scope: { system: { all: true } } } },
  { tags: ["a", "b"] },
  { user: { original_password: "pw", password: "other" } },
  {
    endpoint: { service_id: "s", interface: "public", url: "http://a/$(tenant_id)s", region_id: "RegionOne" },
  },
];

/** No request makes the service fail, hang, or answer without the error envelope. */
describe(`hostile requests to the service on ${sqliteDatabases.name}`, () => {
  let service: TestApp;
  let token: string;
  let requests: fc.Arbitrary<HostileRequest>;
  const statuses = new Set<number>();
  beforeAll(async () => {
    service = await testApp(sqliteDatabases, { IDENTITY_ADMIN_PASSWORD: PASSWORD });
    token = await logIn();
    const bodies = [...CREATIONS, ...OTHERS, ...recordedBodies()];
    const tokens = [token, await logIn()];
    requests = hostileRequests({ routes: await routes(), ids: await victims(), tokens, bodies });
  });
  afterAll(() => service.remove());

  it(`are answered, ${REQUESTS} of them, and never as if that were the service's own fault`, async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        // The administrator's own token and user have to last.
        fc.pre(!(request.method === "DELETE" && request.headers["x-subject-token"] === token));
        const answer = await send(request);
        statuses.add(answer.statusCode);
        expect({ request, fault: faultIn(request, answer) }).toEqual({ request, fault: undefined });
      }),
      { numRuns: REQUESTS },
    );
  }, 120_000);

  it("got as far as the services, and left the administrator in", async () => {
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404]));
    const answer = await service.app.server.inject({
      url: "/v3/users",
      headers: { "x-auth-token": token },
    });
    expect(answer.statusCode).toBe(200);
    expect(await logIn()).toBeTruthy();
  });

  async function logIn(): Promise<string> {
    const answer = await service.app.server.inject({
      method: "POST",
      url: "/v3/auth/tokens",
      payload: { auth: { identity: passwordOf(PASSWORD), scope: { system: { all: true } } } },
    });
    expect(answer.statusCode).toBe(201);
    return String(answer.headers["x-subject-token"]);
  }

  /** All routes of the API document. */
  async function routes(): Promise<Route[]> {
    const { paths } = (await service.app.server.inject("/openapi.json")).json<{ paths: Paths }>();
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method, path })),
    );
    expect(found.length).toBeGreaterThan(60);
    return found;
  }

  /** The ids of one thing of each kind. */
  async function victims(): Promise<string[]> {
    const ids: string[] = [];
    for (const body of CREATIONS) {
      const [kind = ""] = Object.keys(body);
      const answer = await service.app.server.inject({
        method: "POST",
        url: `/v3/${kind}s`,
        headers: { "x-auth-token": token },
        payload: body,
      });
      expect(answer.statusCode).toBe(201);
      ids.push(answer.json<Body>()[kind]?.["id"] as string);
    }
    return ids;
  }

  async function send(request: HostileRequest): Promise<LightMyRequestResponse> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer: ${JSON.stringify(request)}`)), PATIENCE_MS);
    });
    const { method, url, headers, payload } = request;
    const asked = service.app.server.inject({
      method: method as "GET",
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }
});

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Body = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What an answer should not be; `undefined` if it may be. */
function faultIn({ method, url }: HostileRequest, { statusCode, headers, body }: LightMyRequestResponse) {
  if (statusCode >= 500) return `${statusCode} ${body}`;
  if (!/^req-[0-9a-f-]{36}$/.test(String(headers["x-openstack-request-id"]))) return "no request id";
  if (/\bat [^\n]*\.[jt]s:\d+/.test(body)) return `a stack: ${body}`;
  if (statusCode < 400 || method === "HEAD") return undefined;
  const answer = parsed(body);
  if (statusCode === 405) return typeof answer?.["message"] === "string" ? undefined : body;
  // Errors of OAuth 2.0 have a form of their own (RFC 6749, section 5.2).
  const isOAuth = url.startsWith("/v3/OS-OAUTH2/token");
  if (isOAuth && typeof answer?.["error"] === "string" && typeof answer["error_description"] === "string")
    return undefined;
  // Those of SCIM, too (RFC 7644, section 3.12).
  const isScim = url.startsWith("/scim/v2/");
  if (isScim && answer?.["status"] === String(statusCode) && typeof answer["detail"] === "string")
    return undefined;
  const error = answer?.["error"] as Record<string, unknown> | undefined;
  const isEnvelope =
    error?.["code"] === statusCode &&
    typeof error["message"] === "string" &&
    typeof error["title"] === "string";
  return isEnvelope ? undefined : `no envelope: ${statusCode} ${body}`;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function passwordOf(password: string): object {
  return {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password } },
  };
}

/** What was sent to a real Keystone, where the recordings are there. */
function recordedBodies(): object[] {
  const rows = hasGolden ? goldenRows("head") : [];
  return rows.flatMap(({ request_body: body }) =>
    typeof body === "object" && body !== null && !Array.isArray(body) ? [body] : [],
  );
}
