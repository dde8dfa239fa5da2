/** Login by password. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { LOGIN_REASONS } from "../../src/platform/login-reasons.js";
import { refusalOf, type LoginOutcome } from "../../src/auth/methods/password-login.js";
import type { PasswordRuleOptions } from "../../src/passwords/password-rules.js";
import { beginImport, finishImport } from "../../src/passwords/unfinished-import-store.js";
import { nextPosition } from "../../src/tokens/revocation-store.js";
import { databases } from "../databases.js";
import { ADDRESS, userServer, type Tables, type UserServer } from "../users/user-server.js";

const DAY = 86_400_000;
/** 72 letters `p`, by the `bcrypt` of Python. */
const BCRYPT_72 = "$2b$04$hBpx4lQ3gYjM4JXDGW74JOeOwSQa7aOkZl0qPyPZo6sGZokwOxu0S";

let service: UserServer;
afterEach(() => service.close());

const start = async (rules: PasswordRuleOptions = {}) => {
  service = await userServer(databases, rules);
  return service.addUser("ann");
};
const login = (id: string, password = "pw") =>
  service.login.login({ user: { id }, password, address: ADDRESS });
const change = (id: string, user: object) => service.ask("PATCH", `/v3/users/${id}`, { body: { user } });
const answerTo = (outcome: LoginOutcome) =>
  outcome.kind === "ok" ? "ok" : [refusalOf(outcome).isShown, refusalOf(outcome).message];
const hashesOf = async (id: string) => {
  const select = service.database.tables<Tables>().selectFrom("user_password").selectAll();
  return (await select.where("user_id", "=", id).execute()).map(({ hash }) => hash);
};
const importHash = async (id: string, hash: string) => {
  const update = service.database.tables<Tables>().updateTable("user_password").set({ hash });
  await update.where("user_id", "=", id).execute();
};

describe(`a login by password on ${databases.name}`, () => {
  it("is good by id, and by name in a domain, which has an id and a name", async () => {
    await start();
    const id = await service.addUser("bob", { domain_id: "d2" });
    const names = [{ id }, { name: "bob", domain: { id: "d2" } }, { name: "bob", domain: { name: "Two" } }];
    for (const user of names)
      expect(await service.login.login({ user, password: "pw", address: ADDRESS })).toMatchObject({
        kind: "ok",
        user: { id },
      });
  });

  it("returns the revocation position at which the password and the user were read", async () => {
    const id = await start();
    expect(await login(id)).toMatchObject({ position: 0 });
    await service.database.transaction((transaction) => nextPosition(transaction, 5), {
      changes: ["revocations"],
    });
    expect(await login(id)).toMatchObject({ position: 5 });
  });

  it("writes nothing, except for the day of the first one, which succeeds without a write too", async () => {
    const id = await start();
    const refused = vi.spyOn(service.database, "transaction").mockRejectedValueOnce(new Error("read-only"));
    expect(await login(id)).toMatchObject({ kind: "ok" });
    expect(refused).toHaveBeenCalledOnce();
    refused.mockRestore();
    await login(id);
    const { last_active_at: at } = await service.database
      .tables<Tables>()
      .selectFrom("user")
      .select("last_active_at")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(at).toBe(service.time.now);
    const transaction = vi.spyOn(service.database, "transaction");
    expect(await login(id)).toMatchObject({ kind: "ok" });
    expect(await login(id, "wrong")).toMatchObject({ kind: "refused" });
    expect(transaction).not.toHaveBeenCalled();
  });

  it("is refused alike for a wrong password and for users who aren't there, each after a hash was checked", async () => {
    const id = await start();
    await service.addProject("p1", "d1", { name: "Project" });
    const nobodies = [
      { id: "nope" },
      { name: "ann", domain: { id: "d2" } },
      { name: "ann", domain: { id: "nope" } },
      { name: "ann", domain: { name: "Project" } },
    ];
    for (const user of nobodies) {
      const outcome = await service.login.login({ user, password: "pw", address: ADDRESS });
      // For the log alone: a domain that is named, and does not exist, is looked up before the hash is checked.
      const isUnnamed = "name" in (user.domain ?? {}) && user.domain?.name === "Project";
      const reason = isUnnamed ? "domain-unknown" : "user-unknown";
      expect(outcome).toEqual({ kind: "refused", reason });
      expect(answerTo(outcome)).toEqual([false, `login refused: ${LOGIN_REASONS[reason]}`]);
    }
    const wrong = await login(id, "wrong");
    expect(wrong).toEqual({ kind: "refused", reason: "password-wrong", userId: id });
    expect(answerTo(wrong)).toEqual([false, `login refused: wrong password ${id}`]);
    expect(service.checked).toEqual([...nobodies.map(() => undefined), (await hashesOf(id))[0]]);
  });

  it("is refused to users without a password", async () => {
    await start();
    const id = await service.addUser("bob", { password: undefined });
    for (const password of ["", "pw"]) expect(await login(id, password)).toMatchObject({ kind: "refused" });
  });

  it("reports a locked, disabled or expired account only with the right password", async () => {
    const id = await start();
    await change(id, { enabled: false });
    expect(await login(id, "wrong")).toMatchObject({ reason: "password-wrong" });
    const refused = await login(id);
    expect(refused).toMatchObject({ reason: "user-disabled" });
    expect(answerTo(refused)).toEqual([false, `login refused: the user is disabled ${id}`]);
    await change(id, { enabled: true });
    await service.database.tables<Tables>().updateTable("project").set({ enabled: false }).execute();
    expect(await login(id)).toMatchObject({ reason: "user-domain-disabled" });
    expect(await login(id, "wrong")).toMatchObject({ reason: "password-wrong" });
  });

  it("shows an expired password, which is good for nothing else", async () => {
    const id = await start({ password_expires_days: 10 });
    service.time.now += 10 * DAY;
    const outcome = await login(id);
    expect(outcome).toMatchObject({ kind: "expired", user: { id } });
    expect(answerTo(outcome)).toEqual([
      true,
      `The password is expired and needs to be changed for user: ${id}.`,
    ]);
    expect(await login(id, "wrong")).toMatchObject({ reason: "password-wrong" });
    await change(id, { options: { ignore_password_expiry: true } });
    expect(await login(id)).toMatchObject({ kind: "ok" });
  });

  it("replaces the hash of another system by one of our own", async () => {
    const id = await start();
    await importHash(id, BCRYPT_72);
    expect(await login(id, "wrong")).toMatchObject({ kind: "refused" });
    expect(await hashesOf(id)).toEqual([BCRYPT_72]);
    expect(await login(id, "p".repeat(72))).toMatchObject({ kind: "ok" });
    expect(await hashesOf(id)).toEqual([expect.stringMatching(/^\$argon2id\$/)]);
    expect(await login(id, "p".repeat(72))).toMatchObject({ kind: "ok" });
    expect(service.ended).toEqual([]);
  });

  it("keeps an imported hash until the import is finished, so that the other system still reads it", async () => {
    const id = await start();
    await importHash(id, BCRYPT_72);
    await beginImport(service.database, service.time.now);
    await beginImport(service.database, service.time.now + 1);
    expect(await login(id, "p".repeat(72))).toMatchObject({ kind: "ok" });
    expect(await hashesOf(id)).toEqual([BCRYPT_72]);
    expect(await finishImport(service.database)).toBe(true);
    expect(await finishImport(service.database)).toBe(false);
    expect(await login(id, "p".repeat(72))).toMatchObject({ kind: "ok" });
    expect(await hashesOf(id)).toEqual([expect.stringMatching(/^\$argon2id\$/)]);
  });

  it("is good several times at once, while the hash is replaced", async () => {
    const id = await start();
    await importHash(id, BCRYPT_72);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => login(id, "p".repeat(72))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array<string>(6).fill("ok"));
  });

  it("is refused if the password is changed concurrently", async () => {
    const id = await start();
    const { login: slow } = service;
    const outcome = slow.login({ user: { id }, password: "pw", address: ADDRESS });
    await vi.waitUntil(() => service.checked.length === 1, { interval: 1 });
    const { database } = service;
    await database.transaction((queries) =>
      queries
        .tables<Tables>()
        .updateTable("user_password")
        .set({ number: 2 })
        .where("user_id", "=", id)
        .execute(),
    );
    expect(await outcome).toMatchObject({ kind: "refused", reason: "password-wrong" });
  });

  it("imported-hashes-have-72-bytes: what comes behind them counts from the first login on", async () => {
    const id = await start();
    await importHash(id, BCRYPT_72);
    expect(await login(id, "p".repeat(80))).toMatchObject({ kind: "ok" });
    expect(await login(id, "p".repeat(72))).toMatchObject({ reason: "password-wrong" });
    expect(await login(id, "p".repeat(80))).toMatchObject({ kind: "ok" });
  });
});

describe(`an account on ${databases.name}`, () => {
  const LOCKOUT = { lockout_failure_attempts: 3, lockout_duration: 60 };
  let id: string;
  beforeEach(async () => {
    id = await start({ ...LOCKOUT, disable_user_account_days_inactive: 30 });
  });

  const lock = async () => {
    for (let guess = 0; guess < 3; guess++) await login(id, "wrong");
  };
  const reasonsOf = (outcomes: readonly LoginOutcome[]) =>
    outcomes.map((outcome) => (outcome.kind === "refused" ? outcome.reason : outcome.kind)).toSorted();

  it("is locked after so many failures, and opens by itself", async () => {
    await login(id, "wrong");
    await login(id, "wrong");
    expect(await login(id)).toMatchObject({ kind: "ok" });
    await lock();
    const locked = await login(id);
    expect(locked).toMatchObject({ reason: "user-locked" });
    expect(answerTo(locked)).toEqual([false, `login refused: the user is locked after failed logins ${id}`]);
    service.time.now += 60_000;
    expect(await login(id)).toMatchObject({ kind: "ok" });
  });

  it("is not kept locked by those who go on guessing", async () => {
    await lock();
    service.time.now += 59_000;
    expect(await login(id, "wrong")).toMatchObject({ reason: "user-locked" });
    service.time.now += 1000;
    expect(await login(id)).toMatchObject({ kind: "ok" });
  });

  it("gives many guesses at a time no more attempts than they have one by one", async () => {
    const guesses = Array.from({ length: 10 }, () => login(id, "wrong"));
    expect(reasonsOf(await Promise.all(guesses))).toEqual([
      ...Array<string>(3).fill("password-wrong"),
      ...Array<string>(7).fill("user-locked"),
    ]);
    expect(await login(id)).toMatchObject({ reason: "user-locked" });
  });

  it("counts the guesses of several processes together", async () => {
    const logins = [service.login, service.otherLogin(), service.otherLogin()];
    const guesses = logins.flatMap((each) =>
      Array.from({ length: 4 }, () => each.login({ user: { id }, password: "wrong", address: ADDRESS })),
    );
    expect(reasonsOf(await Promise.all(guesses)).filter((reason) => reason !== "user-locked")).toEqual(
      Array<string>(3).fill("password-wrong"),
    );
    expect(await login(id)).toMatchObject({ reason: "user-locked" });
  });

  it("accepts many correct logins at a time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => login(id)));
    expect(reasonsOf(outcomes)).toEqual(Array<string>(10).fill("ok"));
  });

  it("locks-end-when-asked: by enabling and a new password, and not by any other change", async () => {
    await lock();
    await change(id, { email: "new" });
    expect(await login(id)).toMatchObject({ reason: "user-locked" });
    await change(id, { enabled: true });
    expect(await login(id)).toMatchObject({ kind: "ok" });
    await lock();
    await change(id, { password: "new" });
    expect(await login(id, "new")).toMatchObject({ kind: "ok" });
  });

  it("is never locked where it is excepted", async () => {
    await change(id, { options: { ignore_lockout_failure_attempts: true } });
    await lock();
    expect(await login(id)).toMatchObject({ kind: "ok" });
  });

  it("is disabled after days without a login, which are noted once a day", async () => {
    const transaction = vi.spyOn(service.database, "transaction");
    service.time.now += 29 * DAY;
    await login(id);
    await login(id);
    expect(transaction).toHaveBeenCalledTimes(1);
    service.time.now += 29 * DAY;
    expect(await login(id)).toMatchObject({ kind: "ok" });
    service.time.now += 30 * DAY;
    expect(await login(id)).toMatchObject({ reason: "user-inactive" });
    expect((await service.ask("GET", `/v3/users/${id}`)).body.user.enabled).toBe(false);
    expect((await change(id, { email: "new" })).body.user.enabled).toBe(false);
    expect((await change(id, { enabled: true })).body.user.enabled).toBe(true);
    expect(await login(id)).toMatchObject({ kind: "ok" });
    service.time.now += 99 * DAY;
    await change(id, { options: { ignore_user_inactivity: true } });
    expect(await login(id)).toMatchObject({ kind: "ok" });
  });
});
