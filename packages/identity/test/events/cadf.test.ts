/** Payloads and envelope of notifications. Expected values: what Keystone 22 sent over RabbitMQ, with ids of our own. */
import { describe, expect, it } from "vitest";

import { namedUuid, payloadOf } from "../../src/events/cadf.js";
import type { EventRecord } from "../../src/events/event-record.js";
import { osloMessage } from "../../src/events/oslo-message.js";

const ID = "d25e4922-0416-4479-a10f-6e5247b91ecc";
const AT = Date.parse("2026-11-26T12:33:08.448Z");
const USER = "c85cde9f8aaf4466a27ba04ce5e6d84f";
const initiator = {
  userId: USER,
  userName: "admin",
  projectId: "p1",
  address: "192.0.2.1",
  agent: "curl/8",
  requestId: "req-c305bb38-452b-41d6-870f-3815d1f8a16b",
};
const CREATED: EventRecord = {
  id: ID,
  at: AT,
  event: { resource: "project", operation: "created", id: "p2" },
  initiator,
};

describe("CADF", () => {
  it("has the members of Keystone's events", () => {
    expect(payloadOf(CREATED, { format: "cadf", observerId: "o1" })).toEqual({
      typeURI: "http://schemas.dmtf.org/cloud/audit/1.0/event",
      eventType: "activity",
      id: namedUuid(ID, "event"),
      eventTime: "2026-11-26T12:33:08.448000+0000",
      action: "created.project",
      outcome: "success",
      observer: { id: "o1", typeURI: "service/security" },
      initiator: {
        id: USER,
        typeURI: "service/security/account/user",
        host: { address: "192.0.2.1", agent: "curl/8" },
        user_id: USER,
        project_id: "p1",
        request_id: "req-c305bb38-452b-41d6-870f-3815d1f8a16b",
        username: "admin",
      },
      target: { id: "p2", typeURI: "data/security/project" },
      resource_info: "p2",
    });
  });

  it("masks the token of a federated login as pycadf does", () => {
    const federated = (auditId?: string) =>
      payloadOf(
        {
          ...CREATED,
          event: {
            login: "federated",
            outcome: "success",
            federation: { providerId: "idp", groupIds: [], userId: "u", ...(auditId && { auditId }) },
          },
        },
        { format: "basic", observerId: "o1" },
      ) as { readonly initiator: { readonly credential: { readonly token: string } } };
    expect(federated().initiator.credential.token).toBe("u xxxxxxxx n");
    // 22 characters, of which Keystone shows three at each end.
    expect(federated("mTdAbCdEfGhIjKlMnOpzaA").initiator.credential.token).toBe("mTd xxxxxxxx zaA");
  });

  it("takes ids that are no UUID as UUIDs of version 5", () => {
    // uuid.uuid5(uuid.NAMESPACE_DNS, "python.org") in Python's documentation.
    expect(namedUuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "python.org")).toBe(
      "886313e1-3b8a-5372-9b90-0c9aee199e5d",
    );
  });
});

describe("the basic format", () => {
  it("names the resource, the member and the request", () => {
    const joined: EventRecord = {
      ...CREATED,
      event: {
        resource: "group",
        operation: "updated",
        id: "g1",
        member: { userId: "u1", operation: "added" },
      },
    };
    expect(payloadOf(joined, { format: "basic", observerId: "o1" })).toEqual({
      resource_info: "g1",
      actor_id: "u1",
      actor_type: "user",
      actor_operation: "added",
      request_id: initiator.requestId,
    });
  });
});

describe("the envelope", () => {
  it("is that of oslo.messaging 2.0, the same for the same event", () => {
    const options = { format: "basic", observerId: "o1", publisherId: "lab" } as const;
    const outer = JSON.parse(osloMessage(CREATED, options)) as Record<string, string>;
    expect(outer["oslo.version"]).toBe("2.0");
    expect(JSON.parse(outer["oslo.message"] ?? "")).toEqual({
      message_id: ID,
      publisher_id: "identity.lab",
      event_type: "identity.project.created",
      priority: "INFO",
      payload: { resource_info: "p2", request_id: initiator.requestId },
      timestamp: "2026-11-26 12:33:08.448000",
      _unique_id: ID.replaceAll("-", ""),
    });
    expect(osloMessage(CREATED, options)).toBe(osloMessage(CREATED, options));
  });
});
