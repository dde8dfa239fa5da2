/** Documents of providers in the database: for whom they count, and what is not kept. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  createProviderDocumentCache,
  type DocumentOwner,
  type DocumentPlace,
  type ProviderDocumentCache,
} from "../../../src/federation/published/provider-document-cache.js";
import { databases } from "../../databases.js";
import { loginServer, type LoginServer } from "../login-server.js";

const OWNER: DocumentOwner = { idpId: "idp", id: "mapped", refreshedAt: 7 };
const NOW = Date.parse("2026-11-23T12:00:00Z");
const MINUTE = 60_000;

describe(`a document of a provider, kept on ${databases.name}`, () => {
  let server: LoginServer;
  let now: number;
  let kept: ProviderDocumentCache;
  beforeAll(async () => {
    server = await loginServer(databases);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    now = NOW;
    kept = createProviderDocumentCache({ database: server.database, clock: { now: () => now } });
    await server.database.tables<{ provider_document: object }>().deleteFrom("provider_document").execute();
  });

  const place = (changes: Partial<DocumentPlace> = {}): DocumentPlace => ({
    owner: OWNER,
    kind: "metadata",
    source: ["https://idp.example.org/metadata", ["https://idp.example.org"]],
    ...changes,
  });
  const at = (changes?: Partial<DocumentPlace>) => kept.at(place(changes));
  const rows = async () =>
    server.database
      .tables<{ provider_document: { protocol_id: string; read_at: number; content: string } }>()
      .selectFrom("provider_document")
      .select(["read_at", "content"])
      .execute();

  it("is found as it was read, and when", async () => {
    await at().keep("<EntityDescriptor ä='𝄞'/>");
    now += 9 * MINUTE;
    expect(await at().find()).toEqual({ text: "<EntityDescriptor ä='𝄞'/>", readAt: NOW });
  });

  it.each<[string, Partial<DocumentPlace>]>([
    ["another address", { source: ["https://other.example.org/metadata", ["https://idp.example.org"]] }],
    ["other remote ids", { source: ["https://idp.example.org/metadata", []] }],
    ["a protocol that was changed or refreshed since", { owner: { ...OWNER, refreshedAt: 8 } }],
    ["another provider", { owner: { ...OWNER, idpId: "other" } }],
    ["another protocol", { owner: { ...OWNER, id: "other" } }],
    ["another kind", { kind: "jwks" }],
  ])("does not count for %s", async (_, changes) => {
    await at().keep("text");
    expect(await at(changes).find()).toBeUndefined();
    expect(await at().find()).toMatchObject({ text: "text" });
  });

  it("is replaced by what was read after a change, and not by a replica that has not seen the change", async () => {
    const changed = { owner: { ...OWNER, refreshedAt: 8 } };
    await at().keep("old");
    await at(changed).keep("new");
    await at().keep("old");
    expect(await at(changed).find()).toMatchObject({ text: "new" });
    expect(await rows()).toHaveLength(1);
  });

  it("is written again when it has changed, and otherwise every ten minutes", async () => {
    await at().keep("text");
    now += MINUTE;
    await at().keep("text");
    expect(await rows()).toEqual([{ read_at: NOW, content: "text" }]);
    await at().keep("other");
    expect(await rows()).toEqual([{ read_at: NOW + MINUTE, content: "other" }]);
    now += 10 * MINUTE;
    await at().keep("other");
    expect(await rows()).toEqual([{ read_at: NOW + 11 * MINUTE, content: "other" }]);
  });

  it("of more than 33 million characters is not kept: the one before goes on to count", async () => {
    await at().keep("text");
    await at().keep("x".repeat((1 << 25) + 1));
    expect(await at().find()).toMatchObject({ text: "text" });
    await at().keep("x".repeat(1 << 25));
    expect((await at().find())?.text).toHaveLength(1 << 25);
  });

  it("from the future does not count, since it would for too long: a clock was wrong", async () => {
    now += 3 * MINUTE;
    await at().keep("text");
    now = NOW;
    expect(await at().find()).toBeUndefined();
    await at().keep("text");
    expect(await at().find()).toEqual({ text: "text", readAt: NOW });
  });

  it("is kept by one of many who read it at the same time, also of several replicas", async () => {
    const other = createProviderDocumentCache({ database: server.database, clock: { now: () => now } });
    const shelves = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? kept : other).at(place()));
    await Promise.all(shelves.map((shelf) => shelf.keep("text")));
    expect(await rows()).toEqual([{ read_at: NOW, content: "text" }]);
  });

  it("of a protocol that does not exist, or no more, is not kept; nothing fails", async () => {
    await at({ owner: { ...OWNER, id: "gone" } }).keep("text");
    expect(await rows()).toEqual([]);
    await at().keep("text");
    const url = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    expect((await server.ask("DELETE", url)).status).toBe(204);
    expect(await rows()).toEqual([]);
    await at().keep("text");
    expect(await rows()).toEqual([]);
    await server.ask("PUT", url, { body: { protocol: { mapping_id: "people" } } });
  });
});
