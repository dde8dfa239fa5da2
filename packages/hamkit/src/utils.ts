/**
 * `hamkit/utils`: deprecated; kept for programs that import `freqToBand` from here.
 *
 * @module hamkit/utils
 */
import { freqToBand as currentFreqToBand, type FreqToBandOptions } from "./bands/freq-to-band.js";
import type { BandResult } from "./bands/band-search.js";

/**
 * The same as `freqToBand` of `hamkit/frequency`. The first call in a process warns that the function has moved: with
 * the code `HAMKIT_DEP0001` in Node.js, on the console in a browser.
 *
 * @deprecated Moved to `hamkit/frequency` in 0.4.1, to be removed.
 * @param freq The frequency in kHz.
 * @param options The IARU region whose edges and plan to use.
 * @returns The same as the function of `hamkit/frequency`.
 * @throws {FrequencyError} A `KeyError`: the frequency is outside the bands, or is not a number.
 * @throws {ValueError} The region is not 1, 2 or 3.
 */
export function freqToBand(freq: number, options?: FreqToBandOptions): BandResult {
  warnOnce();
  return currentFreqToBand(freq, options);
}

const MOVED =
  "freqToBand of hamkit/utils has moved: import it from hamkit/frequency, it will be removed here";

let warned = false;

function warnOnce(): void {
  if (warned) return;
  warned = true;
  const { process, console }: Host = globalThis;
  if (process?.emitWarning) {
    process.emitWarning(MOVED, { type: "DeprecationWarning", code: "HAMKIT_DEP0001" });
  } else {
    console?.warn(MOVED);
  }
}

/** Globals that can emit a warning: `process` exists in Node.js and compatible runtimes only. */
interface Host {
  readonly process?: { emitWarning?(warning: string, options: { type: string; code: string }): void };
  readonly console?: { warn(message: string): void };
}
