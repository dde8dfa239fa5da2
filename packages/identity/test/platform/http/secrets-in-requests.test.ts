/** Malformed requests with a secret, to every route with a body: the secret is in no response, log line, event and audit record. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createLog } from "../../../src/platform/log.js";
import { sqliteDatabases } from "../../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../test-app.js";

const MARKER = "Zq7-MARKER-4vX";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly minimum?: number;
}

/** The 21 shapes in which the attack brought a secret, and as many as its place is deep. */
const SHAPES: readonly unknown[] = [
  MARKER,
  [MARKER],
  [[MARKER]],
  [{ a: MARKER }],
  { a: MARKER },
  { a: [MARKER] },
  { a: { b: MARKER } },
  { password: MARKER },
  { user: MARKER },
  { user: { password: [MARKER] } },
  { id: { a: MARKER } },
  MARKER.repeat(100),
];

const SECRET_NAMES = ["password", "original_password", "client_secret", "sp_private_key", "token", "secret"];

/** Whether the marker is in an object without the name of a secret. Recorded responses show the members of a protocol. */
function isUnnamed(shape: unknown): boolean {
  return typeof shape === "object" && !Array.isArray(shape) && !JSON.stringify(shape).includes("password");
}

/** What fits a schema, roughly: enough for the faults that a test puts into it to be found. */
function sampleOf(schema: Schema): unknown {
  const { properties, items, anyOf, type } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0]);
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, sampleOf(member)]));
  if (type === "array") return items === undefined ? [] : [sampleOf(items)];
  return { string: "x", integer: schema.minimum ?? 1, number: 1, boolean: true }[type ?? ""] ?? {};
}

type Path = readonly (string | number)[];

/** Every place in a value of the schema, and whether secrets belong there or below. */
function placesIn(schema: Schema, path: Path = []): { readonly path: Path; readonly schema: Schema }[] {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const named = branches.flatMap(({ properties = {} }) => Object.entries(properties));
  const listed = branches.flatMap(({ items = [] }) => items as Schema);
  const members = [
    ...named.flatMap(([name, member]) => placesIn(member, [...path, name])),
    ...listed.flatMap((item) => placesIn(item, [...path, 0])),
  ];
  return [{ path, schema }, ...members];
}

function hasSecrets(schema: Schema): boolean {
  return placesIn(schema).some(({ path }) => SECRET_NAMES.includes(String(path.at(-1))));
}

/** A copy of the value with another one at a place; objects on the way that are not there are made. */
function withValue(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other;
  if (typeof name === "number") return [withValue((value as unknown[] | undefined)?.[0], rest, other)];
  const members = (value ?? {}) as Record<string, unknown>;
  return { ...members, [name]: withValue(members[name], rest, other) };
}

/** Bodies with the marker as a secret, or where an object with secrets should be. */
function bodiesOf(schema: Schema): unknown[] {
  const sample = sampleOf(schema);
  return placesIn(schema).flatMap(({ path, schema: place }) => {
    const name = String(path.at(-1));
    const isSecret = SECRET_NAMES.includes(name) || path.includes("token");
    if (path.length > 0 && (isSecret || hasSecrets(place)))
      return SHAPES.filter((shape) => name !== "protocol" || !isUnnamed(shape)).map((shape) =>
        withValue(sample, path, shape),
      );
    // The name of a secret in an object of any kind, with another error next to it.
    return place.properties === undefined
      ? []
      : SECRET_NAMES.slice(0, 3).flatMap((secret) => [
          withValue(sample, path, { [secret]: [MARKER] }),
          withValue(sample, path, [{ [secret]: MARKER }]),
          withValue(sample, path, { id: { [secret]: MARKER }, name: { [secret]: { a: MARKER } } }),
        ]);
  });
}

describe("a secret in a request of the wrong shape", () => {
  let service: TestApp;
  let folder: string;
  let log = "";
  let token: string;
  let routes: { readonly method: string; readonly url: string; readonly body: Schema }[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    service = await testApp(
      sqliteDatabases,
      {
        IDENTITY_BODY_LIMIT: "1000000",
        IDENTITY_EVENTS_FILE: join(folder, "events"),
        IDENTITY_EVENTS_OPT_OUT: "none",
        IDENTITY_AUDIT_TRAIL_DAYS: "30",
      },
      { log: createLog("debug", { write: (line) => (log += line) }) },
    );
    const { server } = service.app;
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const auth = {
      identity: { methods: ["password"], password: { user } },
      scope: { system: { all: true } },
    };
    const login = await server.inject({ method: "POST", url: "/v3/auth/tokens", payload: { auth } });
    token = String(login.headers["x-subject-token"]);
    const document = (await server.inject({ url: "/openapi.json" })).json<{
      paths: Record<
        string,
        Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
      >;
    }>();
    routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const body = Object.values(requestBody?.content ?? {})[0]?.schema;
        return body === undefined ? [] : [{ method, url: path.replaceAll(/\{\w+\}/g, "x1"), body }];
      }),
    );
  });
  afterAll(async () => {
    await service.remove();
    await rm(folder, { recursive: true });
  });

  const linesWith = (text: string) =>
    log.split("\n").flatMap((line) => (line.includes(text) ? [line.slice(0, 400)] : []));

  it("is neither answered nor logged, by any route", async () => {
    const told = new Set<string>();
    let refused = 0;
    for (const { method, url, body } of routes) {
      for (const payload of bodiesOf(body)) {
        const answer = await service.app.server.inject({
          method: method.toUpperCase() as "POST",
          url,
          headers: { "x-auth-token": token },
          payload: payload as object,
        });
        if (answer.statusCode === 400) refused++;
        if (answer.statusCode >= 400 && answer.body.includes("Zq7-"))
          told.add(`${method} ${url} ${JSON.stringify(payload).slice(0, 300)}: ${answer.body.slice(0, 300)}`);
      }
    }
    expect([...told].slice(0, 5)).toEqual([]);
    expect(linesWith("Zq7-").slice(0, 5)).toEqual([]);
    const events = () => readFile(join(folder, "events"), "utf8");
    await expect.poll(events).toContain("identity.authenticate");
    expect(await events()).not.toContain("Zq7-");
    for (const table of ["service_event", "audit_event"]) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(service.app.database.tables());
      expect(JSON.stringify(rows)).not.toContain("Zq7-");
    }
    // The bodies reach the schemas.
    expect(routes.length).toBeGreaterThan(40);
    expect(refused).toBeGreaterThan(500);
  }, 60_000);

  it.each(["auth", "passwrod", "user"])(
    "is not returned from the top level under the name %j",
    async (name) => {
      const payload = { auth: 1, [name]: MARKER };
      const answer = await service.app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload });
      expect(answer.statusCode).toBe(400);
      expect(answer.body).not.toContain(MARKER);
    },
  );

  it.each([
    MARKER,
    `"${MARKER}"`,
    `{"auth": "${MARKER}" x}`,
    `{"password": ${MARKER}}`,
    `["${MARKER}", "${MARKER}"]`,
  ])("is not logged where the body is not JSON: %j", async (payload) => {
    const headers = { "content-type": "application/json" };
    const { statusCode } = await service.app.server.inject({
      method: "POST",
      url: "/v3/auth/tokens",
      headers,
      payload,
    });
    expect(statusCode).toBe(400);
    expect(linesWith(MARKER)).toEqual([]);
  });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  /** Headers that bear secrets, also of schemes that this service does not know, and malformed ones. */
  const HEADERS: readonly Readonly<Record<string, string>>[] = [
    ...[
      "Bearer ",
      "Digest username=",
      "Negotiate ",
      "AWS4-HMAC-SHA256 Credential=",
      "Token token=",
      "",
      "OAuth oauth_token=",
    ].map((scheme) => ({ authorization: scheme + MARKER })),
    { authorization: basic(`x:${MARKER}`) },
    { authorization: basic(`${MARKER}:x`) },
    { authorization: basic(MARKER) },
    { authorization: `Basic ${MARKER}` },
    { "x-auth-token": MARKER },
    { "x-subject-token": MARKER },
    { "openstack-auth-receipt": MARKER },
    { cookie: `__Host-console=${MARKER}; ${MARKER}` },
    { "x-openstack-request-id": MARKER },
    { referer: `http://127.0.0.1/?token=${MARKER}` },
    { "content-type": `application/json; x=${MARKER}` },
  ];
  const QUERY = [
    "password",
    "token",
    "access_token",
    "id_token",
    "code",
    "state",
    "error_description",
    "client_secret",
    "name",
    "x",
  ]
    .map((name) => `${name}=${MARKER}`)
    .join("&");
  const TARGETS: readonly (readonly ["GET" | "POST" | "DELETE", string])[] = [
    ["POST", "/v3/auth/tokens"],
    ["GET", "/v3/auth/tokens"],
    ["DELETE", "/v3/auth/tokens"],
    ["GET", "/v3/users"],
    ["POST", "/v3/ec2tokens"],
    ["POST", "/v3/OS-OAUTH2/token"],
    ["POST", "/v3/OS-OAUTH1/request_token"],
    ["GET", "/v3/auth/OS-FEDERATION/websso/openid"],
    ["GET", "/v3/OS-FEDERATION/identity_providers/x/protocols/openid/auth"],
    ["POST", "/v3/OS-FEDERATION/identity_providers/x/protocols/openid/auth"],
    ["GET", "/console/"],
    ["GET", "/nowhere"],
  ];

  it.each(TARGETS)(
    "is in no line of the log in a header or the query of %s %s, nor in what is recorded",
    async (method, path) => {
      for (const url of [path, `${path}?${QUERY}`])
        for (const headers of HEADERS) await service.app.server.inject({ method, url, headers });
      const fields = { grant_type: MARKER, client_id: MARKER, client_secret: MARKER, subject_token: MARKER };
      const payload = new URLSearchParams(fields).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      if (method === "POST") await service.app.server.inject({ method, url: path, headers, payload });
      const recorded = await service.app.server.inject({
        url: "/v3/OS-FEDERATION/failed_logins",
        headers: { "x-auth-token": token },
      });
      expect(recorded.statusCode).toBe(200);
      for (const form of [MARKER, Buffer.from(MARKER).toString("base64").slice(0, 12)]) {
        expect(linesWith(form)).toEqual([]);
        expect(recorded.body).not.toContain(form);
      }
    },
  );
});
