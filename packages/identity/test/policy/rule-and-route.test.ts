/** Access rules and routes read one path: a request that a rule allows is served by a route that the rule names. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { guardRoutes } from "../../src/policy/guard.js";
import type { HttpServer } from "../../src/platform/http/http-server.js";
import {
  credentialServer,
  type CredentialServer,
  type MadeCredential,
} from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { rawRequest } from "../raw-request.js";
import { testServer } from "../test-server.js";

const REQUESTS = 2500;
const METHODS = ["GET", "PUT", "PATCH", "POST", "DELETE"] as const;

/** The application credential of the token has this rule alone. */
interface Rule {
  readonly method: string;
  readonly path: string;
}

/** By which route a request was served, and with which parameters. */
interface Served {
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
}

let service: CredentialServer;
let server: HttpServer;
let templates: string[];
beforeAll(async () => {
  service = await credentialServer(sqliteDatabases);
  const { paths } = (await service.inject({ url: "/openapi.json" })).json<{
    paths: Record<string, object>;
  }>();
  templates = Object.keys(paths).filter((path) => path.startsWith("/v3/"));
  server = guardedRoutes(templates);
  await server.listen({ port: 0, host: "127.0.0.1" });
  await service.listen();
});
afterAll(async () => {
  await server.close();
  await service.close();
});

/** All paths of the service for all methods; each answers with its route. The token is the rule. */
function guardedRoutes(paths: readonly string[]): HttpServer {
  const { server: guarded } = testServer();
  guardRoutes(guarded, {
    authenticate: async (token) => ({
      userId: "u1",
      roles: ["admin"],
      scope: { kind: "system" },
      delegation: {
        kinds: ["application_credential"],
        by: { applicationCredentialId: "a1" },
        isRestricted: true,
        accessRules: [{ id: "r1", service: "identity", ...(JSON.parse(token) as Rule) }],
      },
    }),
  });
  for (const path of paths)
    guarded.route({
      method: [...METHODS],
      url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
      config: { access: "identity:list_regions" },
      handler: (request) => ({ route: request.routeOptions.url, params: request.params }),
    });
  return guarded;
}

/** The segments of a served path: an escaped slash is part of its segment. */
function segmentsOf({ route, params }: Served): string[] {
  return route
    .split("/")
    .map((segment) => (segment.startsWith(":") ? (params[segment.slice(1)] ?? "") : segment));
}

/** Whether a rule names what served the request, by comparing segments instead of characters. */
function names(rule: Rule, served: Served): boolean {
  // Any token may be validated.
  if (rule.method === "GET" && served.route === "/v3/auth/tokens") return true;
  const parts = rule.path.replace(/\/$/, "").split("/");
  const segments = segmentsOf(served);
  const isOpen = parts.at(-1) === "**";
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false;
  return parts.every((part, place) => {
    const segment = segments[place] ?? "";
    if (part === "**") return true;
    return part === "*" || part.startsWith("{") ? segment !== "" : decodeURIComponent(part) === segment;
  });
}

/** What an attacker may insert into a target. */
const INSERTIONS = [
  "\u00E9",
  "\u0000",
  "\t",
  ..."# #/ #/tags ?# %23 %23/tags ? ?/tags %3F %3f/tags / // /. /./ /.. /../ ; ;a=b %3B".split(" "),
  ..."%2F %2f %2e %2E%2e %2e%2e%2f %252F %252e %5C \\ * ** %2A { } + & @ : |".split(" "),
  ..."%C3%A9 %c3%a9 %c0%af %ff % %zz %00 %09 %20".split(" "),
];
const FORMS = ["http://localhost", "HTTPS://evil.example", "http://a@b:1", "http://h\\", "ftp://h", "//h"];
const ENDINGS = ["/", "//", "?", "?name=/v3/users", "#", "/#"];

/** One spelling of a target among many; places are from 0, its beginning, to 1. */
interface Spelling {
  readonly insertions: readonly (readonly [string, number])[];
  /** Characters as escapes, in lower case or not. */
  readonly escaped: readonly (readonly [number, boolean])[];
  readonly form: string;
  readonly ending: string;
  readonly isUpper: boolean;
}

const place = fc.double({ min: 0, max: 1, noNaN: true });
const rarely = <Value>(usual: Value, others: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
const spelling: fc.Arbitrary<Spelling> = fc.record({
  insertions: fc.array(fc.tuple(fc.constantFrom(...INSERTIONS), place), { maxLength: 2 }),
  escaped: fc.array(fc.tuple(place, fc.boolean()), { maxLength: 3 }),
  form: rarely("", fc.constantFrom(...FORMS)),
  ending: rarely("", fc.constantFrom(...ENDINGS)),
  isUpper: rarely(false, rarely(false, fc.constant(true))),
});

function spell(path: string, { insertions, escaped, form, ending, isUpper }: Spelling): string {
  let target = path;
  for (const [at, isLower] of escaped) {
    const index = Math.floor(at * (target.length - 1));
    const code = target.charCodeAt(index).toString(16);
    if (/\w/.test(target[index] ?? ""))
      target = `${target.slice(0, index)}%${isLower ? code : code.toUpperCase()}${target.slice(index + 1)}`;
  }
  for (const [text, at] of insertions) {
    const index = Math.ceil(at * target.length);
    target = target.slice(0, index) + text + target.slice(index);
  }
  return form + (isUpper ? target.toUpperCase() : target) + ending;
}

const values = fc.array(
  fc.constantFrom("id", "tags", "a%2Ftags", "users", "default", "%2e%2e", "x%2A", "v3"),
  { minLength: 6, maxLength: 6 },
);

/** A path of the service with values for its parameters. */
function pathOf(template: string, each: readonly string[]): string {
  let next = 0;
  return template.replaceAll(/\{\w+\}/g, () => each[next++] ?? "id");
}

/** Rules as users write them for a path. */
const RULES: readonly ((template: string, path: string) => string)[] = [
  (template) => template,
  (template) => `${template}/`,
  (template) => template.replaceAll(/\{\w+\}/g, "*"),
  (template) => template.replace(/[^/]+$/, "**"),
  (template) => `${template}/**`,
  (_, path) => path,
];

/** What may be requested with the rule for a path: the same, what is above it, below it, or anywhere. */
const TARGETS: readonly ((path: string, other: string) => string)[] = [
  (path) => path,
  (path) => path,
  (path) => path.replace(/\/[^/]+$/, ""),
  (path) => `${path}/tags`,
  (_, other) => other,
];

describe("a target, however it is spelled (access-rules-match-the-route)", () => {
  it("is only served by a route that the only rule of the application credential names", async () => {
    let served = 0;
    const requests = fc.record({
      method: fc.constantFrom(...METHODS),
      template: fc.constantFrom(...templates),
      other: fc.constantFrom(...templates),
      values,
      ruleOf: fc.constantFrom(...RULES),
      targetOf: fc.constantFrom(...TARGETS),
      as: spelling,
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, template, other, values: each, ruleOf, targetOf, as }) => {
        const path = pathOf(template, each);
        const own: Rule = { method, path: ruleOf(template, path) };
        const target = spell(targetOf(path, pathOf(other, each)), as);
        const { status, body } = await rawRequest(server, {
          method: own.method,
          target,
          headers: { "x-auth-token": JSON.stringify(own) },
        });
        expect({ target, isServed: target.includes("#") && status !== 400 }).toEqual({
          target,
          isServed: false,
        });
        if (status !== 200) return;
        served += 1;
        const by = JSON.parse(body) as Served;
        expect({ own, target, by, isNamed: names(own, by) }).toEqual({ own, target, by, isNamed: true });
      }),
      { numRuns: REQUESTS },
    );
    // Otherwise nothing was compared.
    expect(served).toBeGreaterThan(REQUESTS / 20);
  }, 120_000);

  it.each([
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1/tags", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1/tags/", 200],
    ["/v3/projects/{project_id}/tags/", "/v3/projects/p1/tags", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1/t%61gs", 200],
    ["/v3/projects/{project_id}/t%61gs", "/v3/projects/p1/tags", 200],
    ["/v3/projects/{project_id}/tags", "http://evil.example/v3/projects/p1/tags?x=1", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1%2Ftags", 401],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1%2ftags", 401],
    ["/v3/projects/p1%2ftags", "/v3/projects/p1%2Ftags", 200],
    ["/v3/projects/{project_id}/**", "/v3/projects/p1/", 401],
    ["/v3/projects/{project_id}/**", "/v3/projects/p1/?/tags", 401],
    ["/v3/projects/**", "/v3/projects/p1", 200],
    ["/v3/projects/%2A", "/v3/projects/p1", 401],
    ["/v3/projects/%2A", "/v3/projects/*", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1#/tags", 400],
    ["/v3/projects/{project_id}", "/v3/projects/p1#", 400],
    ["/v3/projects/{project_id}", "/v3/projects/p1?name=#", 400],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1%23/tags", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1%3F/tags", 200],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1/./tags", 404],
    ["/v3/projects/{project_id}", "/v3/projects/p1/tags/%2e%2e", 401],
    ["/v3/domains/{domain_id}/config", "/v3/domains/d1/config//", 401],
    ["/v3/projects/{project_id}/tags", "/v3/projects/p1;/tags", 200],
    ["/v3/projects/{project_id}/tags", "/V3/projects/p1/tags", 404],
  ])("has the path that was routed: rule %s, target %s: %s", async (path, target, status) => {
    const token = JSON.stringify({ method: "DELETE", path });
    const answer = await rawRequest(server, { method: "DELETE", target, headers: { "x-auth-token": token } });
    expect(answer.status).toBe(status);
  });
});

describe(`a fragment in the target, on ${sqliteDatabases.name}`, () => {
  it("does not pass a rule for tags on to their project", async () => {
    const user = await service.member(["admin"]);
    const { body } = await service.make(user, {
      access_rules: [{ service: "identity", method: "DELETE", path: "/v3/projects/{project_id}/tags" }],
    });
    const { token } = await service.logIn(body.application_credential as MadeCredential);
    const doomed = await service.create("project", { name: "doomed", domain_id: "default" });
    const send = (target: string) =>
      rawRequest(service.server, { method: "DELETE", target, headers: { "x-auth-token": token } });
    const { status, body: error } = await send(`/v3/projects/${doomed}#/tags`);
    expect({ status, error: JSON.parse(error) as unknown }).toEqual({
      status: 400,
      error: {
        error: {
          code: 400,
          message: 'The request target contains "#", expected a path and a query without a fragment.',
          title: "Bad Request",
        },
      },
    });
    expect((await send(`/v3/projects/${doomed}`)).status).toBe(401);
    expect((await service.ask("GET", `/v3/projects/${doomed}`)).status).toBe(200);
    expect((await send(`/v3/projects/${doomed}/tags`)).status).toBe(204);
  });
});
