/** SAML verified in worker threads: the same results as without threads, while other requests proceed. */
import { X509Certificate } from "node:crypto";

import { afterAll, describe, expect, it } from "vitest";

import { createReaderThreads } from "../../../../dist/federation/protocols/saml2/threads/reader-threads.js";
import { inForm, LOGOUT_URL, logoutRequest, redirectQuery } from "../../logout/logout-messages.js";
import { samlReader, type ResponseTask } from "../../../../src/federation/protocols/saml2/saml-reader.js";
import {
  AUDIENCE,
  AUTH_URL,
  encrypted,
  ISSUER,
  metadata,
  newSigner,
  NOW,
  PROVIDER,
  signedMetadata,
  signedResponse,
  type Signer,
} from "../test-provider.js";

const service = newSigner();

function task(xml: string): ResponseTask {
  const certificates = [new X509Certificate(PROVIDER.certificate)];
  const trust = { certificates, weakKeys: [], allowsSha1: false };
  return {
    xml,
    reading: { trust, keys: [service.privateKey], isInEnvelope: false },
    expected: {
      issuer: ISSUER,
      audience: AUDIENCE,
      recipient: AUTH_URL,
      now: NOW,
      mayBeUnsolicited: false,
      mayLackAudience: false,
    },
    naming: { prefix: "", remoteIdAttribute: "MELLON_IDP" },
  };
}

describe("SAML read in threads", () => {
  const threads = createReaderThreads();
  afterAll(() => threads.close());

  it("finds the same in logout messages, valid or not", async () => {
    const query = new URLSearchParams(redirectQuery(logoutRequest({ indexes: ["s1"] })));
    const byForm = {
      name: "SAMLRequest",
      encoded: inForm(logoutRequest()),
      isByRedirect: false,
      signature: undefined,
    } as const;
    const [text = ""] = query.toString().split("&Signature=");
    const byRedirect = {
      name: "SAMLRequest",
      encoded: query.get("SAMLRequest") ?? "",
      isByRedirect: true,
      signature: {
        text,
        algorithm: query.get("SigAlg") ?? "",
        value: query.get("Signature") ?? "",
      },
    } as const;
    const { trust, keys } = task("").reading;
    const expected = { issuer: ISSUER, destination: LOGOUT_URL, now: NOW };
    for (const message of [byForm, byRedirect]) {
      expect(await threads.readLogoutIssuer(message)).toBe(ISSUER);
      const found = await threads.readLogout({ message, trust, keys, expected });
      expect(found).toMatchObject({
        kind: "request",
        subject: ["alice", expect.stringContaining("unspecified")],
      });
      expect(found).toEqual(await samlReader.readLogout({ message, trust, keys, expected }));
      const other = { ...trust, certificates: [new X509Certificate(service.certificate)] };
      await expect(threads.readLogout({ message, trust: other, keys, expected })).rejects.toMatchObject({
        facts: { step: "signature" },
      });
    }
    await expect(
      threads.readLogoutIssuer({ ...byForm, isByRedirect: true, encoded: "PHg+" }),
    ).rejects.toMatchObject({
      facts: { step: "message" },
    });
  });

  it.each([
    ["signed", signedResponse({ inResponseTo: "_asked" })],
    ["signed, then encrypted", encrypted(signedResponse({ inResponseTo: "_asked" }), service.publicKey)],
  ])("finds the same in a response that was %s", async (_kind, xml) => {
    const found = await threads.readResponse(task(xml));
    expect(found.attributes).toMatchObject({ NAME_ID: "alice", groups: "staff;ops" });
    expect(found).toEqual(await samlReader.readResponse(task(xml)));
  });

  it.each([
    ["signature", "another key has signed", signedResponse({}, { signer: newSigner() })],
    ["assertion", "is for others", signedResponse({ audience: "https://other.example.org" })],
    ["signature", "is no XML", "<"],
  ])("refuses at the step %s what %s, for the same reason", async (step, _kind, xml) => {
    const own: unknown = await samlReader.readResponse(task(xml)).catch((error: unknown) => error);
    const refused = { name: "AssertionRefusedError", facts: (own as { facts: unknown }).facts };
    expect(refused.facts).toMatchObject({ step });
    await expect(threads.readResponse(task(xml))).rejects.toMatchObject(refused);
  });

  it("reads metadata, and reports what is invalid", async () => {
    const { certificates, ...described } = await threads.readMetadata({
      xml: metadata(),
      remoteIds: [],
      isRetry: false,
    });
    expect(described).toMatchObject({ entityId: ISSUER, redirectUrl: "https://idp.example.org/sso?realm=x" });
    expect(certificates.map(({ fingerprint256 }) => fingerprint256)).toEqual([
      new X509Certificate(PROVIDER.certificate).fingerprint256,
    ]);
    await expect(threads.readMetadata({ xml: "<a/>", remoteIds: [], isRetry: true })).rejects.toMatchObject({
      facts: { step: "metadata", reason: "the metadata describes 0 identity providers, expected one" },
    });
  });

  it("reads the signed metadata of a federation, by a trusted signer alone", async () => {
    const entity = (issuer: string) =>
      metadata()
        .replace(/^[^]*-->\s*/, "")
        .replace(ISSUER, issuer);
    const issuers = Array.from({ length: 200 }, (_, index) => `https://idp${index}.example.org`);
    const entities = [...issuers, ISSUER].map(entity).join("\n");
    const xml = signedMetadata(
      `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entities}</md:EntitiesDescriptor>`,
    );
    const by = (signer: Signer) => {
      const certificates = [new X509Certificate(signer.certificate)];
      const trust = { certificates, weakKeys: [], allowsSha1: false };
      return threads.readMetadata({ xml, remoteIds: [ISSUER], isRetry: false, trust });
    };
    expect(await by(PROVIDER)).toMatchObject({ entityId: ISSUER });
    await expect(by(newSigner())).rejects.toMatchObject({
      facts: { step: "metadata", reason: expect.stringContaining("signature does not verify") as string },
    });
  });

  it("yields to other requests while a message is read", async () => {
    let turns = 0;
    const turn = setInterval(() => turns++, 0);
    await threads.readResponse(task(signedResponse({ inResponseTo: "_asked" })));
    clearInterval(turn);
    expect(turns).toBeGreaterThan(0);
  });

  it("rejects new messages when the queue is full, and processes the queued ones", async () => {
    const asked = await Promise.allSettled(
      Array.from({ length: 300 }, async () => threads.readResponse(task("<"))),
    );
    const names = new Set(asked.map((each) => each.status === "rejected" && (each.reason as Error).name));
    expect(names).toEqual(new Set(["AssertionRefusedError", "BusyError"]));
  });
});

/** The slowest within the limits of size: 0.4 s and more. */
const SLOW = metadata().replace(
  "</md:EntityDescriptor>",
  `<x${Array.from({ length: 18_000 }, (_, index) => ` xmlns:n${index}="u"`).join("")}>${'<a xmlns:b="x"/>'.repeat(19_000)}</x></md:EntityDescriptor>`,
);

describe("metadata that takes long to read", () => {
  const remoteIds = [ISSUER];

  it("holds up no login, and no metadata that never failed", async () => {
    const threads = createReaderThreads();
    const ended: string[] = [];
    const note = async (what: string, work: Promise<unknown>) => work.then(() => ended.push(what));
    // The thread has already started, as after a first login.
    await threads.readResponse(task(signedResponse({ inResponseTo: "_asked" })));
    const retries = Array.from({ length: 3 }, async () =>
      note("retry", threads.readMetadata({ xml: SLOW, remoteIds, isRetry: true })),
    );
    await Promise.all([
      ...Array.from({ length: 5 }, async () =>
        note("login", threads.readResponse(task(signedResponse({ inResponseTo: "_asked" })))),
      ),
      note("first", threads.readMetadata({ xml: metadata(), remoteIds, isRetry: false })),
    ]);
    expect(ended.filter((what) => what !== "retry")).toHaveLength(6);
    expect(ended.filter((what) => what === "retry").length).toBeLessThan(3);
    await Promise.all(retries);
    await threads.close();
  });

  it("is given up when it has used too much processor time", async () => {
    const threads = createReaderThreads({ maxMetadataCpuMs: 40 });
    await expect(threads.readMetadata({ xml: SLOW, remoteIds, isRetry: false })).rejects.toMatchObject({
      name: "AssertionRefusedError",
      facts: {
        step: "metadata",
        reason: "reading it was given up: it took more than 40 ms of processor time",
      },
    });
    // The next has its turn.
    await expect(threads.readMetadata({ xml: "<a/>", remoteIds, isRetry: false })).rejects.toThrow(
      /0 identity/,
    );
    await threads.close();
  });
});

describe("a message that takes too long to read", () => {
  it("is refused", async () => {
    // Less than a thread takes to start.
    const threads = createReaderThreads({ maxMs: 1 });
    await expect(threads.readResponse(task(signedResponse()))).rejects.toMatchObject({
      name: "AssertionRefusedError",
      facts: { step: "message", reason: expect.stringContaining("given up") as string },
    });
    await threads.close();
  });
});
