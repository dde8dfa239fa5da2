/** The clock of a counterpart, which a test sets: by libfaketime. */
import { rm, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FakeClock {
  /** Of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds From now on it is that much ahead of this computer's; behind, if negative. */
  set(seconds: number): Promise<void>;
  remove(): Promise<void>;
}

export async function createFakeClock(): Promise<FakeClock> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-clock-"));
  const file = join(folder, "clock");
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}s\n`);
  await set(0);
  return {
    env: {
      // The loader knows the folder of the computer's architecture.
      LD_PRELOAD: "/usr/$LIB/faketime/libfaketime.so.1",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
