/** Replayed requests about federation: responses are Keystone's, or named in docs/identity/differences.md. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { sqliteDatabases } from "../databases.js";
import { inDomain, inProject, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { goldenIds, goldenRows, hasGolden, type GoldenRow } from "../golden.js";
import { federationServer, type FederationServer } from "./federation-server.js";
import { hasSameHeaders, isSame, mapMembers, RULES, type GoldenResponse } from "./golden-rules.js";

const ids = hasGolden ? goldenIds("head") : {};
const idOf = (name: string): string => ids[name] ?? name;

/** Credentials of the recorded tokens. */
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

/** Requests about resources; other tests replay logins and the rest of the recording. */
const OURS =
  /^\/v3\/OS-FEDERATION\/(?:identity_providers|mappings|service_providers)(?!.*\/protocols\/[^/]+\/auth)(?:[/?].*)?$/;

describe.runIf(hasGolden)(`Keystone's recorded answers about federation on ${sqliteDatabases.name}`, () => {
  let service: FederationServer;
  /** Resources that only one of the two services has created, by a rule. */
  const deviating = new Set<string>();

  beforeAll(async () => {
    service = await federationServer(sqliteDatabases, ["default", idOf("dom1"), idOf("dom2")]);
  });
  afterAll(() => service.close());

  async function ask(row: GoldenRow): Promise<GoldenResponse> {
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

  /** The response without resources that deviate: their creation has already been compared. */
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
        equal: 198,
        "authorized-before-validated": 9,
        "ids-hold-slashes": 1,
        "links-are-escaped": 15,
        "lists-come-in-pages": 3,
        "mistakes-are-told": 9,
        "numbers-are-numbers": 1,
        "remote-ids-may-be-long": 2,
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
