/** Logins that race with a logout of the same session, at two replicas: the logout is never lost. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { databases, sqliteDatabases } from "../../databases.js";
import { inForm, logoutRequest } from "./logout-messages.js";
import { samlLogoutService, type SamlLogoutService } from "./saml-logout-service.js";

/** On SQLite transactions don't overlap. */
const TRIALS = databases === sqliteDatabases ? 8 : 60;

let service: SamlLogoutService;
beforeAll(async () => {
  service = await samlLogoutService(databases);
});
afterAll(() => service.close());

it("ends a login that races with it, or rejects the login", async () => {
  const outcomes = { rejected: 0, ended: 0 };
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const nameId = `user${trial}`;
    const index = trial % 2 === 0 ? `s${trial}` : undefined;
    const indexes = index === undefined ? [] : [index];
    const before = trial % 4 < 2 ? await service.logIn({ nameId, ...(index && { index }) }) : undefined;
    const fields = { SAMLRequest: inForm(logoutRequest({ nameId, indexes })) };
    const [first, { status }, second] = await Promise.all([
      service.logIn({ nameId, ...(index && { index }) }),
      service.post(fields, { replica: 1 }),
      service.logIn({ nameId, ...(index && { index }) }, { replica: 1 }),
    ]);
    expect(status).toBe(200);
    const tokens = [first, second, ...(before === undefined ? [] : [before])].filter((each) => each !== "");
    outcomes.ended += tokens.length;
    outcomes.rejected += [first, second].filter((each) => each === "").length;
    const gone = tokens.map(() => 404);
    await expect.poll(() => Promise.all(tokens.map((each) => service.check(each)))).toEqual(gone);
  }
  expect(outcomes.rejected).toBeGreaterThan(0);
  expect(outcomes.ended).toBeGreaterThan(0);
}, 60_000);
