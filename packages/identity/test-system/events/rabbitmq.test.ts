/** Events over RabbitMQ: as Keystone sends them, none lost while the broker is killed, and requests that do not wait for it. */
import { connect, type ConsumeMessage } from "amqplib";
import { afterAll, beforeAll, expect, it } from "vitest";

import { eventService } from "../../test/events/event-service.js";
import { sqliteDatabases } from "../../test/databases.js";
import { startRabbit, type RabbitServer } from "./rabbitmq-server.js";
import { takeMessages } from "./taken-messages.js";

let rabbit: RabbitServer;
let service: Awaited<ReturnType<typeof eventService>>;
beforeAll(async () => {
  rabbit = await startRabbit();
  service = await eventService(sqliteDatabases, 1, {
    env: {
      // The first one does not answer.
      IDENTITY_EVENTS_RABBITMQ_URL: `amqp://guest:guest@127.0.0.1:1,${rabbit.url}`,
      IDENTITY_EVENTS_TOPICS: "notifications,copies",
      IDENTITY_EVENTS_DURABLE_QUEUES: "on",
      IDENTITY_EVENTS_PUBLISHER_ID: "lab",
    },
  });
}, 120_000);
afterAll(async () => {
  await service.remove();
  await rabbit.remove();
});

const makeRegion = async (id: string) => {
  const startedAt = performance.now();
  const { status } = await service.ask("POST", "/regions", { body: { region: { id } } });
  expect(status).toBe(201);
  return performance.now() - startedAt;
};

it("have an exchange and queues before the first one, for consumers that bind to them", async () => {
  const isThere = async (): Promise<boolean> => {
    const connection = await connect(rabbit.url);
    connection.on("error", () => {});
    try {
      const channel = await connection.createChannel();
      channel.on("error", () => {});
      await channel.checkExchange("keystone");
      const { messageCount } = await channel.checkQueue("copies.info");
      return messageCount === 0;
    } catch {
      return false;
    } finally {
      await connection.close().catch(() => {});
    }
  };
  await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
});

it("have the properties, exchange and keys of Keystone's, and a copy for each topic", async () => {
  await makeRegion("first");
  const [taken, copies] = [
    takeMessages(rabbit.url, "notifications.info"),
    takeMessages(rabbit.url, "copies.info"),
  ];
  await expect.poll(() => taken.messages.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => copies.messages.length, { timeout: 20_000 }).toBe(1);
  const { fields, properties } = taken.messages[0] as ConsumeMessage;
  expect(fields).toMatchObject({
    exchange: "keystone",
    routingKey: "notifications.info",
    redelivered: false,
  });
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(given)).toEqual({
    contentType: "application/json",
    contentEncoding: "utf-8",
    headers: {},
    deliveryMode: 2,
    priority: 0,
  });
  expect(taken.notifications()[0]).toMatchObject({
    event_type: "identity.region.created",
    publisher_id: "identity.lab",
    payload: { resource_info: "first" },
  });
  expect(copies.notifications()).toEqual(taken.notifications());
  await taken.end();
  await copies.end();
});

it("are all sent, those of a killed broker when it is back, and no request waits", async () => {
  const taken = takeMessages(rabbit.url, "notifications.info");
  const ids = Array.from({ length: 60 }, (_, index) => `region-${index}`);
  const times: number[] = [];
  for (const [index, id] of ids.entries()) {
    if (index === 20) await rabbit.kill();
    times.push(await makeRegion(id));
  }
  await rabbit.start();
  const regionsIn = () =>
    taken
      .notifications()
      .map(({ payload }) => payload.resource_info)
      .filter((id) => id?.startsWith("region-"));
  await expect.poll(() => new Set(regionsIn()).size, { timeout: 40_000 }).toBe(ids.length);
  // Those that the killed broker had not confirmed may come twice, with the same id.
  const byId = new Map(taken.notifications().map((each) => [each.message_id, each.payload.resource_info]));
  expect([...byId.values()].filter((id) => id?.startsWith("region-"))).toEqual(ids);
  expect(Math.max(...times)).toBeLessThan(2000);
  await taken.end();
});
