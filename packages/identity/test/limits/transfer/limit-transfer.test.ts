/** Export and import of all limits as one document. */
import { afterEach, describe, expect, it } from "vitest";

import { ENFORCEMENT, type EnforcementModel } from "../../../src/limits/tree/enforcement.js";
import { parseLimitDocument, writeLimitDocument } from "../../../src/limits/transfer/limit-document.js";
import { createLimitTransfer, type LimitTransfer } from "../../../src/limits/transfer/limit-transfer.js";
import { databases } from "../../databases.js";
import type { FeatureServer } from "../../feature-server.js";
import { COMPUTE, addProject, addRegion, addService, limitServer, standIns } from "../limit-server.js";

const DOCUMENT = `registered_limits:
  - service_id: ${COMPUTE}
    region_id: one
    resource_name: a
    default_limit: 10
    description: of each region
  - service_id: ${COMPUTE}
    resource_name: a
    default_limit: 10
limits:
  - domain_id: d1
    service_id: ${COMPUTE}
    resource_name: a
    resource_limit: 20
  - project_id: d1p1
    service_id: ${COMPUTE}
    resource_name: a
    resource_limit: 15
`;

let service: FeatureServer;
let transfer: LimitTransfer;
afterEach(() => service.close());

async function start(model: EnforcementModel): Promise<void> {
  service = await limitServer(databases, { model });
  transfer = createLimitTransfer({
    ...service,
    ...standIns(service.database),
    enforcement: ENFORCEMENT[model],
  });
  await addService(service.database, COMPUTE);
  await addRegion(service.database, "one");
  await addProject(service.database, { id: "d1" });
  await addProject(service.database, { id: "d1p1", domainId: "d1" });
}
const bring = (text: string, options?: { readonly isDryRun?: boolean }) =>
  transfer.import(parseLimitDocument(text), options);
const sorted = (text: string) => {
  const { registered_limits: registered, limits } = parseLimitDocument(text);
  const order = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  return { registered_limits: registered.toSorted(order), limits: limits.toSorted(order) };
};

describe(`a document of limits on ${databases.name}`, () => {
  it("comes out as it went in, in YAML and in JSON", async () => {
    await start("strict_two_level");
    const lines = await bring(DOCUMENT);
    expect(lines).toEqual([
      `+ registered limit a of service ${COMPUTE} in region one: 10`,
      `+ registered limit a of service ${COMPUTE}: 10`,
      `+ limit of domain d1, a of service ${COMPUTE}: 20`,
      `+ limit of project d1p1, a of service ${COMPUTE}: 15`,
    ]);
    const document = await transfer.export();
    for (const format of ["yaml", "json"] as const)
      expect(sorted(writeLimitDocument(document, format))).toEqual(sorted(DOCUMENT));
    expect(await bring(writeLimitDocument(document, "json"))).toEqual([]);
  });

  it("changes what it names, keeping ids, and ends what it does not", async () => {
    await start("flat");
    await bring(DOCUMENT);
    const before = (await service.ask("GET", "/v3/limits?project_id=d1p1")).body.limits[0];
    const changed = DOCUMENT.replace("resource_limit: 15", "resource_limit: 3")
      .replace("    description: of each region\n", "")
      .replace(/ {2}- domain_id: d1\n(?: {4}.*\n){3}/, "");
    const lines = [
      `~ registered limit a of service ${COMPUTE} in region one: description "of each region" -> none`,
      `- limit of domain d1, a of service ${COMPUTE}: 20`,
      `~ limit of project d1p1, a of service ${COMPUTE}: 15 -> 3`,
    ];
    expect(await bring(changed, { isDryRun: true })).toEqual(lines);
    expect((await service.ask("GET", "/v3/limits")).body.limits).toHaveLength(2);
    expect(await bring(changed)).toEqual(lines);
    expect((await service.ask("GET", "/v3/limits")).body.limits).toEqual([{ ...before, resource_limit: 3 }]);
    expect(await bring("registered_limits: []\nlimits: []")).toHaveLength(3);
    expect((await service.ask("GET", "/v3/registered_limits")).body.registered_limits).toEqual([]);
  });

  it("is refused if it removes the limit of a domain whose project then exceeds the default", async () => {
    await start("strict_two_level");
    await bring(DOCUMENT);
    const withoutDomain = DOCUMENT.replace(/ {2}- domain_id: d1\n(?: {4}.*\n){3}/, "");
    await expect(bring(withoutDomain)).rejects.toThrow(/15/);
    expect(sorted(writeLimitDocument(await transfer.export(), "yaml"))).toEqual(sorted(DOCUMENT));
    // With the registered limits, all limits go.
    expect(await bring("registered_limits: []\nlimits: []")).toHaveLength(4);
  });

  it.each([
    ["with a project above its domain", DOCUMENT.replace("limit: 15", "limit: 21"), /be 21, above the 20 of/],
    ["of a service that is not there", DOCUMENT.replaceAll(COMPUTE, "e".repeat(32)), /find service_id in/],
    ["of a project that is not there", DOCUMENT.replace("d1p1", "nope"), /find project_id in limit/],
    [
      "of a limit that is not registered",
      DOCUMENT.replace(
        /^limits:\n {2}- domain_id: d1\n(.*\n) {4}resource_name: a/m,
        "limits:\n  - domain_id: d1\n$1    resource_name: b",
      ),
      /no corresponding registered limit/,
    ],
    [
      "that names one twice",
      DOCUMENT.replace("    region_id: one\n", ""),
      /registered_limit - Duplicate entry/,
    ],
  ])("is refused %s, and changes nothing", async (_, text, message) => {
    await start("strict_two_level");
    for (const isDryRun of [true, false]) await expect(bring(text, { isDryRun })).rejects.toThrow(message);
    expect((await transfer.export()).registered_limits).toEqual([]);
  });
});
