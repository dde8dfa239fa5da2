/** Replayed requests for K2K assertions and metadata: responses are Keystone's. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { goldenRows, hasGolden, type GoldenRow } from "../golden.js";
import { PUBLIC_URL } from "../test-server.js";
import { alice, adminService, type Alice, type AdminService } from "../federation/saml/admin-service.js";

/** Tokens of federated users are those of a test that logs them in. */
const rows = (hasGolden ? goldenRows("head", "13_saml_k2k") : []).filter(
  ({ name }) => !/: fed/.test(name) && !name.startsWith("create group") && !name.startsWith("user alice"),
);

const SETTINGS = {
  IDENTITY_SAML_ORGANIZATION_NAME: "SAML Identity Provider",
  IDENTITY_SAML_ORGANIZATION_URL: "https://example.com/",
  IDENTITY_SAML_CONTACT_COMPANY: "Example, Inc.",
  IDENTITY_SAML_CONTACT_NAME: "SAML Identity Provider Support",
  IDENTITY_SAML_CONTACT_SURNAME: "Support",
  IDENTITY_SAML_CONTACT_EMAIL: "support@example.com",
  IDENTITY_SAML_CONTACT_TELEPHONE: "+1 800 555 0100",
};

const RECORDED_URL = "http://127.0.0.1:5900";

/** Where an answer is another one, by the rule of docs/identity/differences.md. */
const RULES = [
  // relay-states-begin-with-text
  {
    pattern: /^sp create: k2k relay null/,
    status: 400,
    body: { error: { code: 0, message: "", title: "" } },
  },
  // assertions-are-posted
  { pattern: /: (?:GET|GET as admin|PUT)$/, status: 405, body: "" },
];

describe.runIf(hasGolden)(`Keystone's recorded answers about SAML on ${sqliteDatabases.name}`, () => {
  let service: AdminService;
  let tokens: Alice;
  beforeAll(async () => {
    service = await adminService(sqliteDatabases, SETTINGS);
    tokens = await alice(service);
  });
  afterAll(() => service.remove());

  async function ask({ method, path, request_headers: headers, ...row }: GoldenRow) {
    const body = row.request_body_is_raw ? String(row.request_body) : JSON.stringify(withToken(row));
    return service.app.server.inject({
      method: method as "GET",
      url: path,
      headers: { ...headers, ...("X-Auth-Token" in headers && { "X-Auth-Token": tokens.system }) },
      ...(row.request_body === null ? {} : { payload: body }),
    });
  }

  /** The token that replaces the recorded one. */
  function withToken({ request_body: body, name }: Pick<GoldenRow, "request_body" | "name">): unknown {
    const kind = /(unscoped|domain|system) token$/.exec(name)?.[1] as keyof Alice | undefined;
    return JSON.parse(JSON.stringify(body).replace(/gAAAA[\w=-]+/, tokens[kind ?? "member"])) as unknown;
  }

  it.each(rows)("are given again: $method $name", async (row) => {
    const { statusCode: status, headers, body } = await ask(row);
    expect(shown({ status, headers, body: bodyOf(body) })).toEqual(
      shown({ ...expected(row), headers: row.response_headers }),
    );
    const missing = namesIn(row.response_body).filter((name) => !namesIn(body).includes(name));
    expect(missing).toEqual([]);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The recorded response, or the one that a rule defines. */
function expected({ name, status, response_body: body }: GoldenRow): Pick<Answer, "status" | "body"> {
  const rule = RULES.find(({ pattern }) => pattern.test(name));
  return rule ?? { status, body };
}

/** XML is compared by its elements; messages of schema violations are omitted. */
function shown({ status, headers, body }: Answer): object {
  if (status === 405) return { status };
  const isXml = typeof body === "string";
  const told = status === 400 ? Object.keys((body as { error: object }).error) : body;
  const places = [headers["x-sp-url"], headers["x-auth-url"]];
  const type = String(headers["content-type"]).split(";")[0];
  return { status, body: isXml ? "" : told, ...(status !== 400 && { type, places }) };
}

function bodyOf(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text.replaceAll(PUBLIC_URL, RECORDED_URL)) : text;
}

/** Elements, without what stands before their colons. */
function namesIn(xml: unknown): string[] {
  if (typeof xml !== "string") return [];
  return [...new Set([...xml.matchAll(/<(?:\w+:)?([A-Za-z]\w*)/g)].map(([, name]) => name ?? ""))];
}
