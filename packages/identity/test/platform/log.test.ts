import { expect, it } from "vitest";

import { createLog } from "../../src/platform/log.js";
import { testServer } from "../test-server.js";

it("the log never has what is called a secret, nor the fields of a driver's error", () => {
  let text = "";
  const log = createLog("info", { write: (line) => (text += line) });
  log.info({
    password: "pw-1",
    user: { password: "pw-2", name: "alice" },
    headers: { "x-auth-token": "pw-3" },
  });
  const cause = Object.assign(new Error("duplicate key"), { detail: "Key (hash)=(pw-4)", code: "23505" });
  log.error({ err: new Error("could not store", { cause }) }, "failed");
  expect(text).not.toContain("pw-");
  expect(text).toContain("alice");
  expect(text).toContain("duplicate key");
  expect(text).toContain("23505");
});

it("a refused request is a line of its own at level debug, under its id", async () => {
  const { server, lines } = testServer();
  const { headers } = await server.inject("/v3/nothing?token=secret");
  const [line, ...others] = lines();
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: "debug", request: headers["x-openstack-request-id"] });
  expect(JSON.stringify(line)).not.toContain("secret");
});
