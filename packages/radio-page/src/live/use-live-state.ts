/** Renders a part of the page again when the live state has something new. */
import { useEffect, useState } from "preact/hooks";

import type { LiveState } from "./live-state.js";

export function useLiveState(live: LiveState): void {
  const [, setVersion] = useState(0);
  useEffect(() => live.subscribe(() => setVersion((version) => version + 1)), [live]);
}
