/** Users change their own passwords. Expected responses are Keystone's. */
import { afterEach, describe, expect, it } from "vitest";

import type { PasswordRuleOptions } from "../../src/passwords/password-rules.js";
import { databases } from "../databases.js";
import { ADDRESS, userServer, type Tables, type UserServer } from "../users/user-server.js";

const DAY = 86_400_000;
const UNAUTHORIZED = [401, "The request you have made requires authentication."];

let service: UserServer;
afterEach(() => service.close());

const start = async (rules: PasswordRuleOptions = {}, password = "pw") => {
  service = await userServer(databases, rules);
  return service.addUser("ann", { password });
};
const change = (id: string, from: unknown, to: unknown) =>
  service.refusal("POST", `/v3/users/${id}/password`, {
    as: null,
    body: { user: { original_password: from, password: to } },
  });
const set = (id: string, user: object) => service.ask("PATCH", `/v3/users/${id}`, { body: { user } });
const isPassword = async (id: string, password: string) =>
  (await service.login.login({ user: { id }, password, address: ADDRESS })).kind === "ok";

describe(`users' own passwords on ${databases.name}`, () => {
  it("are changed by those who know them, whose tokens end", async () => {
    const id = await start();
    expect(await change(id, "pw", "new")).toEqual([204, ""]);
    expect(service.ended).toEqual([{ userId: id }]);
    expect([await isPassword(id, "pw"), await isPassword(id, "new")]).toEqual([false, true]);
    expect(await change(id, "new", "new")).toEqual([204, ""]);
  });

  it("are not changed by other users", async () => {
    const id = await start();
    expect(await change(id, "wrong", "new")).toEqual(UNAUTHORIZED);
    expect(await change("nope", "pw", "new")).toEqual(UNAUTHORIZED);
    await set(id, { enabled: false });
    expect(await change(id, "pw", "new")).toEqual([401, `The account is disabled for user: ${id}.`]);
    expect(await change(id, "wrong", "new")).toEqual(UNAUTHORIZED);
  });

  it("passwords-of-disabled-domains: stay as they are", async () => {
    const id = await start();
    await service.database.tables<Tables>().updateTable("project").set({ enabled: false }).execute();
    expect(await change(id, "pw", "new")).toEqual(UNAUTHORIZED);
  });

  it.each([
    [{ password: "new" }, /'original_password' is a required property$/],
    [{ original_password: "pw" }, /'password' is a required property$/],
    [{ original_password: "pw", password: null }, /Value: None\. None is not of type 'string'$/],
    [{ original_password: 5, password: "new" }, /is not of type 'string'$/],
    [{ original_password: "pw", password: "new", x: 1 }, /\('x' was unexpected\)$/],
  ])("are refused as %j", async (user, message) => {
    const id = await start();
    const body = { user };
    const [status, text] = await service.refusal("POST", `/v3/users/${id}/password`, { as: null, body });
    expect([status, text]).toEqual([400, expect.stringMatching(message)]);
    expect(text).not.toMatch(/pw|new'/);
  });

  it("must match the configured pattern, also when an administrator sets them", async () => {
    const rules = { password_regex: "^(?=.*\\d)", password_regex_description: "A digit" };
    const id = await start(rules, "pw1");
    const message = "The password does not match the requirements: A digit.";
    expect(await change(id, "pw1", "new")).toEqual([400, message]);
    for (const [method, url] of [
      ["POST", "/v3/users"],
      ["PATCH", `/v3/users/${id}`],
    ] as const) {
      const body = { user: { name: "new", password: "new" } };
      expect(await service.refusal(method, url, { body })).toEqual([400, message]);
      const none = { user: { name: "new", password: null } };
      expect(await service.refusal(method, url, { body: none })).toEqual([
        400,
        "Password validation error: Password must be a string type.",
      ]);
    }
    expect(await change(id, "pw1", "new2")).toEqual([204, ""]);
  });

  it("passwords-have-4096-bytes: longer ones are refused", async () => {
    const id = await start();
    const message =
      "The password length must be less than or equal to 4096. The server could not comply with the request because the password is invalid.";
    await expect(service.users.update(id, { password: "x".repeat(4097) })).rejects.toThrow(message);
    await service.users.update(id, { password: "x".repeat(4096) });
    expect(await isPassword(id, "x".repeat(4096))).toBe(true);
  });

  it("differ from those before them, unless an administrator sets them", async () => {
    const id = await start({ unique_last_password_count: 2 });
    expect(await change(id, "pw", "two")).toEqual([204, ""]);
    const message =
      "The new password cannot be identical to a previous password. The total number which includes the new password must be unique is 2.";
    for (const used of ["two", "pw"]) expect(await change(id, "two", used)).toEqual([400, message]);
    expect(await change(id, "two", "three")).toEqual([204, ""]);
    expect(await change(id, "three", "pw")).toEqual([204, ""]);
    expect((await set(id, { password: "pw" })).status).toBe(200);
    const kept = service.database.tables<Tables>().selectFrom("user_password").select("number");
    expect(await kept.where("user_id", "=", id).execute()).toHaveLength(3);
  });

  it("are kept for some days, unless an administrator set them", async () => {
    const id = await start({ minimum_password_age: 2 });
    expect(await change(id, "pw", "two")).toEqual([204, ""]);
    service.time.now += DAY / 2;
    expect(await change(id, "two", "three")).toEqual([
      400,
      "You cannot change your password at this time due to the minimum password age. Once you change your password, it must be used for 2 day(s) before it can be changed. Please try again in 2 day(s) or contact your administrator to reset your password.",
    ]);
    service.time.now += 1.5 * DAY;
    expect(await change(id, "two", "three")).toEqual([204, ""]);
  });

  it("are not changed where they are locked, but by administrators", async () => {
    const id = await start();
    await set(id, { options: { lock_password: true } });
    expect(await change(id, "pw", "new")).toEqual([
      400,
      "You cannot change your password at this time due to password policy disallowing password changes. Please contact your administrator to reset your password.",
    ]);
    expect(await change(id, "wrong", "new")).toEqual(UNAUTHORIZED);
    expect((await set(id, { password: "new" })).status).toBe(200);
  });

  it("are changed before their first use, or when they have expired, if that is asked for", async () => {
    const id = await start({ change_password_upon_first_use: true, password_expires_days: 10 });
    const expiryOf = async () => (await service.ask("GET", `/v3/users/${id}`)).body.user.password_expires_at;
    expect(await expiryOf()).toBe("2026-11-21T12:00:00.000000");
    expect(await service.login.login({ user: { id }, password: "pw", address: ADDRESS })).toMatchObject({
      kind: "expired",
    });
    expect(await change(id, "pw", "own")).toEqual([204, ""]);
    expect(await expiryOf()).toBe("2026-12-01T12:00:00.000000");
    service.time.now += 11 * DAY;
    expect(await change(id, "own", "next")).toEqual([204, ""]);
    expect(await isPassword(id, "next")).toBe(true);
    const options = { ignore_change_password_upon_first_use: true };
    const { body } = await set(id, { password: "given", options });
    expect(body.user.password_expires_at).toBe("2026-12-12T12:00:00.000000");
    expect(await isPassword(id, "given")).toBe(true);
  });

  it("are changed by one of several who change them at a time", async () => {
    const id = await start();
    const answers = await Promise.all(["a", "b", "c"].map((to) => change(id, "pw", to)));
    expect(answers.map(([status]) => String(status)).toSorted()).toEqual(["204", "401", "401"]);
  });
});
