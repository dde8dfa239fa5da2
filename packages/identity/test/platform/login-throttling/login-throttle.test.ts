/** The attempts that limits on failed logins refuse, and those they never refuse. */
import { describe, expect, it } from "vitest";

import { TooManyError } from "../../../src/platform/errors.js";
import type { Admission } from "../../../src/platform/login-throttling/admission.js";
import { addressOf, simulatedLimits, type SimulatedLimits } from "./simulated-limits.js";

const SERVICE = "192.0.2.10";
const ATTACKER = "203.0.113.66";

/** How many of so many guesses are checked. */
async function guess(
  limits: SimulatedLimits,
  address: string,
  { times, account }: { readonly times: number; readonly account?: string },
): Promise<number> {
  let checked = 0;
  for (let count = 0; count < times; count++)
    if ((await limits.attempt(address, false, account)) === "guess") checked++;
  return checked;
}

describe("a limit on failed logins", () => {
  it("counts an account and a network together: wrong passwords from one keep no right one out at another", async () => {
    const limits = simulatedLimits();
    expect(await guess(limits, ATTACKER, { times: 50 })).toBe(10);
    expect(await limits.attempt(ATTACKER, true)).toBe("refused");
    expect(await limits.attempt(SERVICE, true)).toBe("good");
    expect(await limits.attempt(ATTACKER, true, "nova")).toBe("good");
  });

  it("expires failures one after the other, and reports when the next attempt is allowed", async () => {
    const limits = simulatedLimits();
    await guess(limits, ATTACKER, { times: 10 });
    const refused = await limits.begin(ATTACKER);
    expect(refused).toMatchObject({ retryAfterSeconds: 90 });
    limits.time.now += 89_000;
    expect(await limits.begin(ATTACKER)).toMatchObject({ retryAfterSeconds: 1 });
    limits.time.now += 1000;
    expect(await guess(limits, ATTACKER, { times: 5 })).toBe(1);
    limits.time.now += 900_000;
    expect(await guess(limits, ATTACKER, { times: 50 })).toBe(10);
  });

  it("costs good logins nothing, however many there are", async () => {
    const limits = simulatedLimits();
    for (let count = 0; count < 1000; count++) expect(await limits.attempt(SERVICE, true)).toBe("good");
    expect(await guess(limits, ATTACKER, { times: 50 })).toBe(10);
  });

  it("costs nothing where it is not known whether a login was good", async () => {
    const limits = simulatedLimits();
    for (let count = 0; count < 100; count++) {
      const admission = await limits.begin(SERVICE);
      expect(admission).not.toBeInstanceOf(TooManyError);
      (admission as Admission).end("unknown");
    }
  });

  it("bounds guesses at an account from many networks, and never blocks a network that logged in before", async () => {
    const limits = simulatedLimits();
    expect(await limits.attempt(SERVICE, true)).toBe("good");
    let checked = 0;
    for (let network = 0; network < 100; network++)
      checked += await guess(limits, addressOf(network), { times: 11 });
    expect(checked).toBe(300);
    expect(await limits.attempt("192.0.2.99", true)).toBe("refused");
    expect(limits.refusals.at(-1)).toMatchObject({ limit: "account", retryAfterSeconds: 12 });
    for (let count = 0; count < 100; count++) expect(await limits.attempt(SERVICE, true)).toBe("good");
    limits.time.now += 29 * 86_400_000;
    expect(await limits.attempt(SERVICE, true)).toBe("good");
  });

  it("has an allowance for such a pair: an attacker behind the same address is limited too", async () => {
    const limits = simulatedLimits();
    await limits.attempt(SERVICE, true);
    expect(await guess(limits, SERVICE, { times: 50 })).toBe(10);
    expect(limits.refusals.at(-1)).toMatchObject({ limit: "known account and network" });
    // Only this pair: the account's other networks, and this network's other accounts, are not refused.
    expect(await limits.attempt(ATTACKER, true)).toBe("good");
    expect(await limits.attempt(SERVICE, true, "nova")).toBe("good");
  });

  it("forgets a pair that has not logged in for a month", async () => {
    const limits = simulatedLimits();
    await limits.attempt(SERVICE, true);
    limits.time.now += 30 * 86_400_000 + 1;
    for (let network = 0; network < 100; network++) await guess(limits, addressOf(network), { times: 11 });
    expect(await limits.attempt(SERVICE, true)).toBe("refused");
  });

  it("bounds guesses at many accounts from one network, except for accounts that log in from there", async () => {
    const limits = simulatedLimits();
    await limits.attempt(ATTACKER, true, "neighbor");
    let checked = 0;
    for (let number = 0; number < 200; number++)
      checked += await guess(limits, ATTACKER, { times: 2, account: `user-${number}` });
    expect(checked).toBe(100);
    expect(limits.refusals.at(-1)).toMatchObject({ limit: "network", retryAfterSeconds: 3 });
    expect(await limits.attempt(ATTACKER, true, "neighbor")).toBe("good");
  });

  it("takes all addresses of a customer's IPv6 network, a /56, for one", async () => {
    const limits = simulatedLimits();
    let checked = 0;
    for (let number = 0; number < 256; number++)
      checked += await guess(limits, `2001:db8:0:12${number.toString(16).padStart(2, "0")}::${number}`, {
        times: 1,
      });
    expect(checked).toBe(10);
    expect(await limits.attempt("2001:db8:0:1300::1", true)).toBe("good");
  });

  it("counts per account alone behind a dashboard", async () => {
    const limits = simulatedLimits({ env: { IDENTITY_LOGIN_DASHBOARDS: "192.0.2.80, 2001:db8:80::/48" } });
    const [dashboard, other] = ["192.0.2.80", "2001:db8:80:1::1"];
    let checked = 0;
    for (let number = 0; number < 150; number++)
      checked += await guess(limits, dashboard, { times: 2, account: `user-${number}` });
    // Neither 100 failures of the network nor ten of an account keep its users out.
    expect(checked).toBe(300);
    expect(await guess(limits, dashboard, { times: 20, account: "glance" })).toBe(20);
    expect(await limits.attempt(dashboard, true)).toBe("good");
    // Attackers elsewhere don't keep out who has logged in by a dashboard, at another of its addresses too.
    for (let network = 0; network < 100; network++) await guess(limits, addressOf(network), { times: 11 });
    expect(await limits.attempt("192.0.2.99", true)).toBe("refused");
    expect(await limits.attempt(other, true)).toBe("good");
    expect(await guess(limits, other, { times: 400 })).toBe(300);
  });

  it("counts each identity provider's failures by themselves: they never refuse passwords or another provider", async () => {
    const limits = simulatedLimits();
    const login = async (providerId: string, address = SERVICE) =>
      limits.throttle.admitFederated({ providerId, address }).catch((error: unknown) => error);
    for (let count = 0; count < 100; count++) {
      const admission = await login("broken");
      if (admission instanceof Error) throw admission;
      (admission as Admission).end("failed");
    }
    expect(await login("broken")).toMatchObject({ retryAfterSeconds: 1 });
    expect(limits.refusals.at(-1)).toMatchObject({ limit: "provider", subject: "broken" });
    expect(await login("broken", ATTACKER)).not.toBeInstanceOf(Error);
    expect(await login("sound")).not.toBeInstanceOf(Error);
    expect(await limits.attempt(SERVICE, true)).toBe("good");
    for (let number = 0; number < 200; number++)
      await guess(limits, SERVICE, { times: 1, account: `user-${number}` });
    expect(await limits.attempt(SERVICE, true, "new")).toBe("refused");
    expect(await login("sound")).not.toBeInstanceOf(Error);
  });
});

describe("attempts in flight", () => {
  it("at a directory keep no login of another domain waiting, and no more of their own than at the service", async () => {
    const limits = simulatedLimits();
    const attemptAt = (number: number, directory?: string) =>
      limits.throttle.admitPassword({
        account: `a${number}`,
        userId: undefined,
        address: addressOf(number),
        directory,
      });
    const first = await attemptAt(0, "acme");
    for (let number = 1; number < 18; number++) await attemptAt(number, "acme");
    const next = attemptAt(18, "acme");
    expect(limits.waiting()).toBe(1);
    for (const [number, directory] of [
      [19, "other"],
      [20, undefined],
    ] as const)
      (await attemptAt(number, directory)).end("succeeded");
    expect(limits.waiting()).toBe(1);
    first.end("succeeded");
    (await next).end("succeeded");
    expect(limits.waiting()).toBe(0);
  });

  it("wait instead of failing: 200 good logins of one account at once all succeed", async () => {
    const limits = simulatedLimits();
    let inFlight = 0;
    let most = 0;
    const logins = Array.from({ length: 200 }, async () => {
      const admission = await limits.begin(SERVICE);
      if (admission instanceof TooManyError) return "refused";
      most = Math.max(most, ++inFlight);
      await Promise.resolve();
      inFlight--;
      admission.end("succeeded");
      return "good";
    });
    expect(new Set(await Promise.all(logins))).toEqual(new Set(["good"]));
    expect(most).toBe(10);
    expect(limits.waiting()).toBe(0);
  });

  it("are never more than failures that are left: guesses at once are no more than guesses one by one", async () => {
    const limits = simulatedLimits();
    const results = await Promise.all(Array.from({ length: 200 }, () => limits.attempt(ATTACKER, false)));
    expect(results.filter((result) => result === "guess")).toHaveLength(10);
    expect(limits.waiting()).toBe(0);
  });

  it("of an account under attack take turns, a network after the other", async () => {
    const limits = simulatedLimits();
    const order: string[] = [];
    const running: (() => void)[] = [];
    const begin = (address: string) =>
      void limits.begin(address).then((admission) => {
        if (admission instanceof TooManyError) return order.push(`${address} refused`);
        order.push(address);
        return running.push(() => admission.end(address === SERVICE ? "succeeded" : "failed"));
      });
    // Half of the places are all that one account may take: nine.
    for (let network = 0; network < 3; network++)
      for (let count = 0; count < 60; count++) begin(addressOf(network));
    for (let count = 0; count < 5; count++) begin(SERVICE);
    await settled();
    expect(order).toHaveLength(9);
    for (let step = 0; step < 4; step++) {
      running.shift()?.();
      await settled();
    }
    // The fourth network is the service's: it has waited for three others, not for a hundred and eighty.
    expect(order.slice(9)).toContain(SERVICE);
    // Known from its first login on, it never waits.
    running.splice(running.length - 1, 1)[0]?.();
    await settled();
    expect(order.filter((address) => address === SERVICE)).toHaveLength(5);
  });

  it("of known pairs have places of their own, whatever floods the others", async () => {
    const limits = simulatedLimits();
    await limits.attempt(SERVICE, true);
    const flood = Array.from({ length: 3000 }, (_, number) =>
      limits.begin(addressOf(number), `user-${number % 500}`),
    );
    await settled();
    expect(limits.waiting()).toBe(1024);
    const results = await Promise.all(Array.from({ length: 100 }, () => limits.attempt(SERVICE, true)));
    expect(new Set(results)).toEqual(new Set(["good"]));
    expect(flood).toHaveLength(3000);
  });

  it("of one account can't fill the waiting room for others", async () => {
    const limits = simulatedLimits();
    for (let number = 0; number < 2000; number++) void limits.begin(addressOf(number), "glance");
    await settled();
    expect(limits.waiting()).toBe(512);
    expect(limits.refusals.at(-1)).toMatchObject({ limit: "waiting", retryAfterSeconds: 1 });
    expect(await limits.attempt(SERVICE, true, "nova")).toBe("good");
  });

  it("wait for a bounded time", async () => {
    const limits = simulatedLimits({ maxWaitMs: 20 });
    // Half of the 18 places.
    const begun = await Promise.all(Array.from({ length: 9 }, () => limits.begin(SERVICE)));
    expect(begun.filter((each) => each instanceof TooManyError)).toEqual([]);
    const late = await limits.begin(SERVICE);
    expect(late).toMatchObject({ kind: "too-many", retryAfterSeconds: 1 });
    expect(limits.waiting()).toBe(0);
    const [first] = begun;
    if (!(first instanceof TooManyError)) first?.end("succeeded");
    expect(await limits.begin(SERVICE)).not.toBeInstanceOf(TooManyError);
  });
});

/** Guesses that attackers get according to docs/identity/login-limits.md. */
describe("the guesses that an attacker gets at one account", () => {
  const HOURS = 2;
  /** Divides the time after which another guess is allowed. */
  const STEP_SECONDS = 3;

  /** As many as the limits let through, tried again and again from each of the networks. */
  async function guessesByHour(networks: number): Promise<number[]> {
    const limits = simulatedLimits();
    await limits.attempt(SERVICE, true);
    const start = limits.time.now;
    const guesses: number[] = [];
    let next = 0;
    for (let second = 0; second < HOURS * 3600; second += STEP_SECONDS) {
      limits.time.now = start + second * 1000;
      // One network after the other, and on from the one that the account's limit has stopped.
      for (let tried = 0; tried < networks; tried++) {
        const result = await limits.attempt(addressOf(next), false);
        if (result === "guess") guesses.push(Math.floor(second / 3600));
        else if (limits.refusals.at(-1)?.limit === "account") break;
        else next = (next + 1) % networks;
      }
      limits.refusals.length = 0;
    }
    expect(await limits.attempt(SERVICE, true)).toBe("good");
    return Array.from({ length: HOURS }, (_, hour) => guesses.filter((each) => each === hour).length);
  }

  it.each([
    { networks: 1, first: 10 + 40, later: 40 },
    { networks: 100, first: 300 + 300, later: 300 },
    { networks: 10_000, first: 300 + 300, later: 300 },
  ])(
    "from $networks networks are at most $first in the first hour and $later in each other",
    async ({ networks, first, later }) => {
      const [firstHour = 0, ...others] = await guessesByHour(networks);
      expect(firstHour).toBeLessThanOrEqual(first);
      expect(firstHour).toBeGreaterThan(first * 0.95);
      for (const hour of others) {
        expect(hour).toBeLessThanOrEqual(later + 1);
        expect(hour).toBeGreaterThan(later * 0.95);
      }
    },
  );
});

/** Runs all pending microtasks. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
