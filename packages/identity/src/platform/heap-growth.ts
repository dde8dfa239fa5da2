/** The heap's growth: requests retain little memory. */
import { setFlagsFromString } from "node:v8";

/**
 * Has V8 collect garbage before the heap grows: by default it first grows to twice the live size, and to 32 MB of new objects. For all
 * threads of the process. The start of a thread resets the first flag, so that each thread calls this again.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=25");
}

/** Ends {@link limitHeapGrowth}, for a command that makes much garbage and ends soon. */
export function allowHeapGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=100");
}
