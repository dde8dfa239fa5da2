/**
 * Unwraps the wrapped keys of the database outside of requests: each new one at once, so that it can come into force, and the one in force
 * once a minute, so that an operator learns that a restart would fail before there is one. No request waits for a source.
 */
import type { FastifyBaseLogger } from "fastify";
import { Gauge, type Registry } from "prom-client";

import { formatSeconds, type Clock, type Moment } from "../../clock.js";
import { messageOf } from "../../errors.js";
import type { HeldMasterKey } from "../held-master-key.js";
import type { KeySources } from "./key-sources.js";
import type { SourceKind, WrappedKey, WrapperKind } from "./key-wrapper.js";

const CHECK_MS = 60_000;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

export interface WrappedKeyWatchDeps {
  readonly sources: KeySources;
  readonly masterKey: HeldMasterKey;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
  readonly registry: Registry;
}

/** Where the master key in force comes from. */
export interface SourceState {
  readonly kind: SourceKind;
  /** The wrapping key of Vault or the token. */
  readonly wrappingKey: string | undefined;
  /** When Vault or the token last unwrapped the key. */
  readonly answeredAt: Moment | undefined;
  /** Why it did not since then, without secrets. */
  readonly fault: string | undefined;
}

export interface WrappedKeyWatch {
  /** Begins to unwrap what is due. Resolves when that is done, never rejects. */
  look(keys: readonly WrappedKey[], inForce: string | undefined): Promise<void>;
  state(): SourceState;
  impairments(): readonly string[];
}

/** One per wrapping. */
interface Attempt {
  readonly key: WrappedKey;
  /** On the monotonic clock. */
  nextAt: number;
  failures: number;
  fault: string | undefined;
  answeredAt: Moment | undefined;
  running: Promise<void> | undefined;
}

const TITLES: Readonly<Record<WrapperKind, string>> = { vault: "Vault", pkcs11: "The PKCS#11 token" };

export function watchWrappedKeys(deps: WrappedKeyWatchDeps): WrappedKeyWatch {
  const { sources, masterKey, clock, log } = deps;
  let attempts: readonly Attempt[] = [];
  let inForce: string | undefined;
  let hasLooked = false;

  const current = () => attempts.find(({ key }) => key.keyId === inForce);
  const registers = [deps.registry];
  // oxlint-disable-next-line no-new
  new Gauge({
    name: "master_key_source_failing",
    help: "Processes that could not unwrap the master key in force at their last attempt: a restart would fail.",
    registers,
    collect() {
      this.set(Number(current()?.fault !== undefined));
    },
  });
  const answered = new Gauge({
    name: "master_key_source_answered_timestamp_seconds",
    help: "When the source last unwrapped the master key in force, of the process where that is longest ago.",
    labelNames: ["source"] as const,
    registers,
    aggregator: "min",
    collect() {
      answered.reset();
      const { key, answeredAt } = current() ?? {};
      if (key !== undefined && answeredAt !== undefined) answered.labels(key.source).set(answeredAt / 1000);
    },
  });

  function begin(key: WrappedKey): Attempt {
    // The first one was unwrapped at the start of the process.
    const isLoaded = !hasLooked && key.keyId === masterKey.id;
    return {
      key,
      nextAt: isLoaded ? performance.now() + CHECK_MS : 0,
      failures: 0,
      fault: undefined,
      answeredAt: isLoaded ? clock.now() : undefined,
      running: undefined,
    };
  }

  async function unwrap(attempt: Attempt): Promise<void> {
    const { key } = attempt;
    const about = { source: key.source, masterKey: key.keyId };
    try {
      const wrapper = await sources.wrapper(key.source);
      masterKey.admit(await sources.unwrap(key));
      if (attempt.fault !== undefined) log.info(about, "the master key can be unwrapped again");
      Object.assign(attempt, { fault: undefined, failures: 0, answeredAt: clock.now() });
      attempt.nextAt = performance.now() + Math.min(CHECK_MS, wrapper.restMs());
    } catch (error) {
      const fault = messageOf(error);
      if (fault !== attempt.fault) log.warn({ ...about, reason: fault }, "the master key can't be unwrapped");
      attempt.fault = fault;
      attempt.nextAt = performance.now() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt.failures++);
    }
  }

  return {
    async look(keys, keyInForce) {
      inForce = keyInForce;
      attempts = keys.map(
        (key) =>
          attempts.find(({ key: known }) => known.keyId === key.keyId && known.wrapped === key.wrapped) ??
          begin(key),
      );
      hasLooked = true;
      const now = performance.now();
      for (const attempt of attempts) {
        const isKept = attempt.answeredAt !== undefined && attempt.key.keyId !== inForce;
        if (attempt.nextAt > now || isKept) continue;
        attempt.running ??= unwrap(attempt).finally(() => (attempt.running = undefined));
      }
      await Promise.all(attempts.flatMap(({ running }) => running ?? []));
    },

    state() {
      const { key, answeredAt, fault } = current() ?? {};
      const plain = sources.plain?.text === undefined ? "file" : "environment";
      return { kind: key?.source ?? plain, wrappingKey: key?.wrappingKey, answeredAt, fault };
    },

    impairments: () =>
      attempts.flatMap(({ key, answeredAt, fault }) => {
        if (fault === undefined) return [];
        const title = TITLES[key.source];
        if (key.keyId !== inForce)
          return [`${title} does not unwrap the next master key, ${key.keyId}: the log has the reason.`];
        const since = answeredAt === undefined ? "" : ` since ${formatSeconds(answeredAt)}`;
        return [
          `${title} has not unwrapped the master key${since}: this process goes on, a restart would fail. The log has the reason.`,
        ];
      }),
  };
}
