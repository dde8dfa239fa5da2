/** Random bytes in small portions: asking the system's generator for 16 of them takes some 13 µs each time. */
import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** @param count From 1 to 4096. Each byte is handed out once and then erased here. */
export function randomBytes(count: number): Buffer {
  if (count > POOL_BYTES) throw new RangeError(`${count} random bytes, expected at most ${POOL_BYTES}`);
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
