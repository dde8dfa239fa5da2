import { expect, it } from "vitest";

import { createLog } from "../../src/platform/log.js";
import { testServer } from "../test-server.js";

it.each(["password", "secret", "token", "key", "authorization", "x-auth-token"])(
  "the log masks %s in a line and in its members, and changes nothing of the caller's",
  (name) => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const given = { [name]: "pw-1", more: { [name]: "pw-2", others: 1 }, list: ["a"] };
    log.info(given, "text");
    expect(JSON.parse(lines.join(""))).toMatchObject({
      [name]: "***",
      more: { [name]: "***", others: 1 },
      list: ["a"],
      msg: "text",
    });
    expect(given).toEqual({ [name]: "pw-1", more: { [name]: "pw-2", others: 1 }, list: ["a"] });
  },
);

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

it.each([
  ["/v3/users", "127.0.0.1", undefined],
  ['/v3/users/é\\u0001"\\\\', "::1", undefined],
  ["/", "", "0af7651916cd43dd8448eb211c80319c"],
])("an answered request is the line that pino writes: %s", (path, from, trace) => {
  const lines: string[] = [];
  const log = createLog(
    "info",
    { write: (line) => void lines.push(line) },
    trace === undefined ? {} : { worker: 2 },
  );
  const line = { method: "GET", path, status: 200, ms: 1.25, from };
  const request = 'req-"1"';
  log.child({ request, ...(trace !== undefined && { trace }) }).info(line, "answered");
  log.answered({ ...line, request, trace });
  const [byPino, own] = lines.map((text) => text.replace(/"time":"[^"]*Z"/, '"time":"..."'));
  expect(own).toBe(byPino);
  expect(lines[1]).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT[\d:.]{12}Z",/);
});

it("an answered request is no line below the level of the log", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const line = { request: "", trace: undefined, method: "GET", path: "/", status: 200, ms: 1, from: "" };
  for (const level of ["debug", "info", "warn", "silent"] as const)
    createLog(level, { write }).answered(line);
  expect(lines.length).toBe(2);
});

it("a refused request is a line of its own at level debug, under its id", async () => {
  const { server, lines } = testServer();
  const { headers } = await server.inject("/v3/nothing?token=secret");
  const [line, ...others] = lines();
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: "debug", request: headers["x-openstack-request-id"] });
  expect(JSON.stringify(line)).not.toContain("secret");
});
