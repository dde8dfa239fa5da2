/** What the call that is looked up would be for the log. */
import { useEffect, useState } from "preact/hooks";

import type { Result } from "../station/result.js";
import type { Needed, NeedReader } from "./need-words.js";

/** @returns `undefined` without a log, and until it has answered. */
export function useNeeded(
  result: Result | undefined,
  read: NeedReader | undefined,
): readonly Needed[] | undefined {
  const [answer, setAnswer] = useState<{ readonly result: Result; readonly needed: readonly Needed[] }>();
  useEffect(() => {
    let isLatest = true;
    void ask();
    async function ask(): Promise<void> {
      if (result?.station === undefined || read === undefined) {
        setAnswer(undefined);
        return;
      }
      const { title, frequencyKHz, isExact, locator } = result;
      const dxGrid = isExact ? locator?.slice(0, 6) : undefined;
      const [needed = []] = await read([{ dx: title, frequencyKHz, dxGrid }]).catch(() => [[]]);
      if (isLatest) setAnswer({ result, needed });
    }
    return () => (isLatest = false);
  }, [result, read]);
  return answer?.result === result ? answer?.needed : undefined;
}
