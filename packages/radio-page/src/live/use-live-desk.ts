/** Renders a part of the page again when the live desk has something new. */
import { useEffect, useState } from "preact/hooks";

import type { LiveDesk } from "./live-desk.js";

export function useDesk(desk: LiveDesk): void {
  const [, setVersion] = useState(0);
  useEffect(() => desk.subscribe(() => setVersion((version) => version + 1)), [desk]);
}
