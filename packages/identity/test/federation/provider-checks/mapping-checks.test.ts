/** Checks of what the rules of a mapping name literally, in the whole service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { loginServer, type LoginServer } from "../login-server.js";
import { messagesOf, summaryOf } from "./checked-protocol.js";

const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
const remote = [{ type: "REMOTE_USER" }, { type: "GROUPS" }];

describe(`checks of mappings on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
    const body = { protocol: { settings: { type: "forwarded" } } };
    await service.ask("PATCH", PROTOCOL, { body });
  });
  afterAll(() => service.close());

  /** The report on the protocol with these rules. */
  async function reportOn(local: readonly object[], schemaVersion?: string) {
    await service.map([{ local: [{ user: { name: "{0}" } }, ...local], remote }], schemaVersion);
    return (await service.ask("POST", `${PROTOCOL}/refresh`)).body.protocol as Parameters<
      typeof messagesOf
    >[0];
  }

  it("pass where all exists, and for what assertions choose", async () => {
    const group = await service.create("groups", { name: "staff", domain_id: "default" });
    const report = await reportOn(
      [
        { group: { name: "staff", domain: { name: "Default" } } },
        { group: { id: group } },
        { groups: "staff", domain: { id: "default" } },
        { groups: "{1}", domain: { name: "Default" } },
        { group: { id: "{1}" } },
        { projects: [{ name: "{0}", roles: [{ name: "member" }], domain: { id: "default" } }] },
      ],
      "2.0",
    );
    expect(summaryOf(report)).toEqual(["mapping ok", "references ok", "user-id warning", "front-end ok"]);
  });

  it.each([
    [
      "warning",
      { group: { name: "gone", domain: { id: "default" } } },
      'group "gone" at rules[0].local[1].group of mapping "people" does not exist, and is ignored: create it, or change the rule',
    ],
    [
      "warning",
      { groups: "gone", domain: { id: "default" } },
      'group "gone" at rules[0].local[1].groups of mapping "people" does not exist, and is ignored: create it, or change the rule',
    ],
    [
      "failure",
      { group: { name: "staff", domain: { name: "Nowhere" } } },
      'logins are rejected because of group "staff" at rules[0].local[1].group of mapping "people": Could not find domain: Nowhere.',
    ],
    [
      "failure",
      { group: { id: "0123" } },
      'logins are rejected because of group id "0123" at rules[0].local[1].group of mapping "people": 1 of the 1 group ids that ' +
        'the mapping names do not exist: "0123"',
    ],
    [
      "failure",
      { groups: "{1}", domain: { name: "Nowhere" } },
      'logins are rejected because of domain "Nowhere" at rules[0].local[1].domain of mapping "people": Could not find domain: Nowhere.',
    ],
    [
      "warning",
      { groups: "{1}", domain: { id: "nowhere" } },
      'domain "nowhere" at rules[0].local[1].domain of mapping "people" does not exist, and is ignored: create it, or change the rule',
    ],
    [
      "failure",
      { projects: [{ name: "{0}", roles: [{ name: "boss" }] }] },
      'logins are rejected because of role "boss" at rules[0].local[1].projects[0].roles of mapping "people": Could not find role: boss.',
    ],
  ])("give a %s for %j", async (status, local, message) => {
    const report = await reportOn([local]);
    expect(messagesOf(report, "references")).toEqual([message]);
    expect(summaryOf(report)).toContain(`references ${status}`);
  });

  it("fail for a group outside of the provider's authorized domains", async () => {
    const change = (authorized_domains: readonly string[] | null) =>
      service.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/idp", {
        body: { identity_provider: { authorized_domains } },
      });
    const { body } = await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp");
    await change([body.identity_provider.domain_id as string]);
    const report = await reportOn([{ group: { name: "staff", domain: { id: "default" } } }]);
    expect(messagesOf(report, "references")).toEqual([
      'logins are rejected because of group "staff" at rules[0].local[1].group of mapping "people": a group is in domain "default", ' +
        "which is not among the provider's authorized_domains",
    ]);
    await change(null);
  });

  it("fail without the mapping", async () => {
    expect((await service.ask("DELETE", "/v3/OS-FEDERATION/mappings/people")).status).toBe(204);
    const { body } = await service.ask("POST", `${PROTOCOL}/refresh`);
    expect(body.protocol.checks).toEqual([
      {
        check: "mapping",
        status: "failure",
        message: 'mapping "people" does not exist: create it, or set another mapping_id',
      },
      { check: "front-end", status: "ok", message: "the service accepts assertions from a front end" },
    ]);
  });
});
