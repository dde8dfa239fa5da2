/** Secrets of consumers and tokens: sealed at rest, and sealed again with another master key. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { createConsumerService } from "../../src/oauth1/consumer-service.js";
import { oauth1Secrets, oauth1SecretPlace, tokenTable } from "../../src/oauth1/oauth1-store.js";
import { sealSecret, toMasterKey, unsealSecret } from "../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { databases } from "../databases.js";
import { featureServer, type FeatureServer } from "../feature-server.js";

const former = toMasterKey(Buffer.alloc(32, 7));
const next = toMasterKey(Buffer.alloc(32, 8));

let server: FeatureServer;
beforeAll(async () => {
  server = await featureServer(databases, () => {});
  await server.database
    .tables<{ project: object }>()
    .insertInto("project")
    .values({
      id: "p",
      name: "p",
      is_domain: true,
      enabled: true,
      description: "",
      options: "{}",
      extra: "{}",
    })
    .execute();
});
afterAll(() => server.close());

it(`keeps secrets through a change of the master key on ${databases.name}`, async () => {
  const { id, secret } = await createConsumerService({ ...server, masterKey: former }).create();
  const sealedSecret = sealSecret(former, Buffer.from("of a token"), oauth1SecretPlace("request", "r"));
  await tokenTable.insert(server.database, {
    id: "r",
    kind: "request",
    consumerId: id,
    userId: null,
    projectId: "p",
    roleIds: [],
    verifier: null,
    expiresAt: 0,
    sealedSecret,
  });
  const stored = await oauth1Secrets(server.database);
  expect(stored.map(({ place }) => place)).toEqual([`oauth1/consumer/${id}`, "oauth1/request/r"]);
  for (const { sealed } of stored) expect(Buffer.from(sealed).toString("latin1")).not.toMatch(secret);
  expect(await resealSecrets(server.database, { from: former, to: next })).toBe(2);
  const opened = (await oauth1Secrets(server.database)).map(({ sealed, place }) =>
    unsealSecret(next, sealed, place).toString(),
  );
  expect(opened).toEqual([secret, "of a token"]);
  expect(await createConsumerService({ ...server, masterKey: next }).secretOf(id)).toBe(secret);
  await expect(createConsumerService({ ...server, masterKey: former }).secretOf(id)).rejects.toThrow(
    /given it its new master key/,
  );
});
