/** Browser logins that a network may begin. */
import { describe, expect, it } from "vitest";

import { limitBegunLogins } from "../../../src/federation/browser/begun-login-limit.js";

const AT_ONCE = 200;

describe("browser logins begun by a network", () => {
  it("are limited, each network by itself, and may be begun again after a while", async () => {
    let now = Date.UTC(2026, 10, 21);
    const begin = limitBegunLogins({ isLimited: true, clock: { now: () => now } });
    for (let login = 0; login < AT_ONCE; login++) await begin({ clientAddress: "192.0.2.1" });
    await expect(begin({ clientAddress: "192.0.2.1" })).rejects.toMatchObject({
      kind: "too-many",
      retryAfterSeconds: 1,
    });
    await begin({ clientAddress: "2001:db8:1:1::1" });
    await begin({ clientAddress: "192.0.2.2" });
    now += 1000;
    for (let login = 0; login < 5; login++) await begin({ clientAddress: "192.0.2.1" });
    await expect(begin({ clientAddress: "192.0.2.1" })).rejects.toMatchObject({ kind: "too-many" });
  });

  it("are not limited where the operator limits no logins", async () => {
    const begin = limitBegunLogins({ isLimited: false, clock: { now: () => 0 } });
    const all = Array.from({ length: 2 * AT_ONCE }, () => begin({ clientAddress: "192.0.2.1" }));
    await expect(Promise.all(all)).resolves.toHaveLength(2 * AT_ONCE);
  });
});
