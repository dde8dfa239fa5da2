/** What Keystone answered to the same requests in the same order. Each deviation has a rule in docs/identity/differences.md. */
import { isDeepStrictEqual } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/credentials.js";
import type { TestDatabases } from "../databases.js";
import { inDomain, inProject, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { goldenIds, goldenRows, hasGolden, type GoldenRow } from "../golden.js";
import { federationServer, type FederationServer } from "./federation-server.js";

const ids = hasGolden ? goldenIds("head") : {};
const idOf = (name: string): string => ids[name] ?? name;

/** Whom the recorded tokens belong to. */
const BEARERS: Readonly<Record<string, Credentials>> = {
  $admin: SYSTEM_ADMIN,
  $admin_project: inProject("p", "default", "admin", "manager", "member", "reader"),
  $member: inProject(idOf("p1"), "default", "member", "reader"),
  $unscoped: UNSCOPED,
  $noroles: { ...UNSCOPED, userId: idOf("user_noroles") },
  $sys_reader: SYSTEM_READER,
  $sys_member: { ...SYSTEM_READER, roles: ["member", "reader"] },
  $dom_admin: inDomain(idOf("dom1"), "admin", "manager", "member", "reader"),
  $dom_reader: inDomain(idOf("dom1"), "reader"),
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Why an answer may be another one, first come, first served. */
export const RULES: Readonly<Record<string, (row: GoldenRow, found: Answer) => boolean>> = {
  "authorized-before-validated": (row, found) => row.status === 400 && [401, 403].includes(found.status),
  "schema-versions-are-checked": (row, found) =>
    row.status === 500 && found.status === 400 && messageOf(found.body).startsWith("schema_version"),
  "mistakes-are-told": (row, found) => row.status === 500 && found.status === 400,
  "ids-hold-slashes": (row) => row.path.includes("%2F"),
  "lists-come-in-pages": ({ path, status }, found) =>
    /[?&](?:limit|marker)=/.test(path) && status === found.status,
  "mappings-have-no-collection-methods": ({ path, method }) =>
    path.endsWith("/mappings") && !["GET", "HEAD"].includes(method),
  "protocols-need-a-provider": (row, found) =>
    row.path.endsWith("nope/protocols") && row.status === 200 && found.status === 404,
  "service-providers-are-on-the-web": (row, found) =>
    row.name.startsWith("sp create") && row.status === 201 && found.status === 400,
  "protocol-links-lead-to-the-protocol": (row, found) =>
    isSame(withoutLinks(row.response_body), withoutLinks(found.body)) && row.path.includes("/protocols"),
  "links-are-escaped": (row, found) => isSame(row.response_body, unescaped(found.body)),
  "rules-have-places": (row, found) =>
    row.name.startsWith("mapping") && row.status === 400 && found.status === 400,
  "patterns-are-checked": refusal(/invalid pattern/),
  "placeholders-are-checked": refusal(/is out of range/),
  "groups-have-domains": refusal(/the id or name of a domain/),
  "booleans-are-booleans": (row, found) =>
    /field\/attribute enabled/.test(messageOf(row.response_body)) && found.status === 400,
  "relay-states-begin-with-text": ({ name }, found) => name.includes("relay") && found.status === 400,
  "changed-mappings-have-warnings": (row, found) =>
    row.name.startsWith("mapping create") && isSame(row.response_body, withoutWarnings(found.body)),
  "numbers-are-numbers": (row, found) => row.name.includes("NaN") && found.status === 400,
};

function refusal(pattern: RegExp) {
  return (row: GoldenRow, found: Answer): boolean =>
    row.status === 201 && found.status === 400 && pattern.test(messageOf(found.body));
}

function messageOf(body: unknown): string {
  return (body as { readonly error?: { readonly message?: string } } | undefined)?.error?.message ?? "";
}

/** Ids that were given, and orders that mean nothing, are left aside. */
function normal(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/\b[0-9a-f]{32}\b/g, "ID");
  if (Array.isArray(value))
    return value.map(normal).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return mapMembers(value, (member) => normal(member));
}

function withoutLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLinks);
  return mapMembers(value, (member, name) => (name === "links" ? null : withoutLinks(member)));
}

function withoutWarnings(value: unknown): unknown {
  const { mapping = {} } = value as { readonly mapping?: object };
  const { warnings: _, ...others } = mapping as { readonly warnings?: unknown };
  return { mapping: others };
}

function unescaped(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("http") ? decodeURI(value) : value;
  return Array.isArray(value) ? value.map(unescaped) : mapMembers(value, unescaped);
}

function mapMembers(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, member]) =>
      [
        name,
        // Keys are in one order, so that texts of them can be compared.
        change(member, name),
      ] as const,
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(normal(a), normal(b));

/** Apart from lengths, ids of requests, and the order of methods. */
function hasSameHeaders({ response_headers: recorded }: GoldenRow, { headers }: Answer): boolean {
  return ["content-type", "vary", "www-authenticate", "allow"].every(
    (name) => headerText(recorded[name]) === headerText(headers[name]),
  );
}

function headerText(value: unknown): string {
  return typeof value === "string" ? (value.split(";")[0] ?? "").split(", ").toSorted().join(", ") : "";
}

/** Those of resources; logins and what else there was in the recording belong to other tests. */
const OURS =
  /^\/v3\/OS-FEDERATION\/(?:identity_providers|mappings|service_providers)(?!.*\/protocols\/[^/]+\/auth)(?:[/?].*)?$/;

export function goldenContract(databases: TestDatabases): void {
  describe.runIf(hasGolden)(`Keystone's recorded answers about federation on ${databases.name}`, () => {
    let service: FederationServer;
    /** Resources that are here and not there, or there and not here, by a rule. */
    const deviating = new Set<string>();

    beforeAll(async () => {
      service = await federationServer(databases, ["default", idOf("dom1"), idOf("dom2")]);
    });
    afterAll(() => service.close());

    async function ask(row: GoldenRow): Promise<Answer> {
      const { "X-Auth-Token": token, ...headers } = row.request_headers;
      const bearer =
        token === undefined
          ? {}
          : { "x-auth-token": JSON.stringify(BEARERS[token] ?? token).replace(/^"/, "x") };
      const body = row.request_body_is_raw ? (row.request_body as string) : JSON.stringify(row.request_body);
      const answer = await service.server.inject({
        method: row.method as "GET",
        url: row.path,
        headers: { ...headers, ...bearer },
        ...(row.request_body === null
          ? {}
          : { payload: Buffer.from(body, row.request_body_is_raw ? "latin1" : "utf8") }),
      });
      const isText = row.method === "HEAD" || answer.body === "";
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: isText ? answer.body : (JSON.parse(answer.body) as unknown),
      };
    }

    /** The answer without resources that deviate: that was told when they were made. */
    function withoutDeviating(body: unknown): unknown {
      return mapMembers(body, (member) =>
        Array.isArray(member)
          ? member.filter((item: { id?: string }) => !deviating.has(item?.id ?? ""))
          : member,
      );
    }

    async function verdict(row: GoldenRow): Promise<string> {
      const found = await ask(row);
      const isCreated = (status: number) => row.method === "PUT" && status === 201;
      if (isCreated(row.status) !== isCreated(found.status))
        deviating.add(decodeURIComponent(row.path.slice(row.path.lastIndexOf("/") + 1)));
      const shown = { ...found, body: withoutDeviating(found.body) };
      const recorded = { ...row, response_body: withoutDeviating(row.response_body) };
      if (
        row.status === found.status &&
        isSame(recorded.response_body, shown.body) &&
        hasSameHeaders(row, found)
      )
        return "equal";
      const rule = Object.keys(RULES).find((name) => RULES[name]?.(recorded, shown));
      return rule ?? `${row.name}: ${found.status} ${JSON.stringify(found.body)}`;
    }

    it.each([
      [
        "03_identity_providers",
        {
          equal: 200,
          "authorized-before-validated": 9,
          "ids-hold-slashes": 1,
          "links-are-escaped": 15,
          "lists-come-in-pages": 3,
          "mistakes-are-told": 9,
          "numbers-are-numbers": 1,
          "booleans-are-booleans": 7,
        },
      ],
      [
        "04_mappings",
        {
          equal: 84,
          "changed-mappings-have-warnings": 2,
          "groups-have-domains": 1,
          "links-are-escaped": 8,
          "lists-come-in-pages": 2,
          "mappings-have-no-collection-methods": 5,
          "mistakes-are-told": 3,
          "patterns-are-checked": 1,
          "placeholders-are-checked": 1,
          "rules-have-places": 50,
          "schema-versions-are-checked": 3,
        },
      ],
      [
        "05_protocols",
        {
          equal: 111,
          "authorized-before-validated": 9,
          "lists-come-in-pages": 1,
          "protocol-links-lead-to-the-protocol": 28,
          "protocols-need-a-provider": 1,
        },
      ],
      [
        "06_service_providers",
        {
          equal: 148,
          "authorized-before-validated": 9,
          "links-are-escaped": 9,
          "lists-come-in-pages": 2,
          "mistakes-are-told": 6,
          "relay-states-begin-with-text": 1,
          "service-providers-are-on-the-web": 8,
          "booleans-are-booleans": 4,
        },
      ],
      [
        "07_fed_auth",
        {
          equal: 33,
          "changed-mappings-have-warnings": 3,
          "patterns-are-checked": 1,
          "placeholders-are-checked": 1,
          "protocol-links-lead-to-the-protocol": 7,
        },
      ],
      ["14_after_delete", { equal: 4, "protocol-links-lead-to-the-protocol": 1 }],
    ])("are given again, apart from the rules: %s", async (file, expected) => {
      const counts: Record<string, number> = {};
      for (const row of goldenRows("head", file).filter(({ path }) => OURS.test(path))) {
        const found = await verdict(row);
        counts[found] = (counts[found] ?? 0) + 1;
      }
      expect(counts).toStrictEqual(expected);
    });
  });
}
