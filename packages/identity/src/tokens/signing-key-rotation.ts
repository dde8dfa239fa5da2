/** When signing keys are rotated, and how many of them stay. */
import type { FastifyBaseLogger } from "fastify";

import { DAY_MS, HOUR_MS, type Clock } from "../platform/clock.js";
import type { SigningKeys } from "./signing-keys.js";

/** As in Keystone: a former primary verifies tokens until the next rotation. */
export const MAX_ACTIVE_KEYS = 3;

export interface KeyRotationOptions {
  readonly signingKeys: Pick<SigningKeys, "load" | "rotate">;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "error">;
  /** The age in days at which keys are rotated; 0 for never. */
  readonly everyDays: number;
}

/** Rotates old keys, checked hourly. Concurrent replicas rotate once. @returns A function that stops it. */
export function rotateOnSchedule(options: KeyRotationOptions): () => void {
  if (options.everyDays === 0) return () => {};
  const timer = setInterval(() => void rotateIfOld(options), HOUR_MS).unref();
  return () => clearInterval(timer);
}

/** Never rejects: the next hour retries. */
export async function rotateIfOld({ signingKeys, clock, log, everyDays }: KeyRotationOptions): Promise<void> {
  try {
    const known = await signingKeys.load();
    if (clock.now() - known.rotatedAt < everyDays * DAY_MS) return;
    const { primary } = await signingKeys.rotate(known);
    log.info({ primary }, "signing keys rotated");
  } catch (error) {
    log.error({ err: error }, "signing keys not rotated");
  }
}
