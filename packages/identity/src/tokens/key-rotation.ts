/** Rotates the signing keys when they have become old. Several replicas that do so rotate once. */
import type { FastifyBaseLogger } from "fastify";

import type { Clock } from "../platform/clock.js";
import type { SigningKeys } from "./signing-keys.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface KeyRotationOptions {
  readonly signingKeys: Pick<SigningKeys, "load" | "rotate">;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "error">;
  /** The age in days at which keys are old; 0 for never. */
  readonly everyDays: number;
}

/** Looks each hour. @returns What ends it. */
export function rotateOnSchedule(options: KeyRotationOptions): () => void {
  if (options.everyDays === 0) return () => {};
  const timer = setInterval(() => void rotateIfOld(options), HOUR_MS).unref();
  return () => clearInterval(timer);
}

/** Never rejects: the next hour is as good. */
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
