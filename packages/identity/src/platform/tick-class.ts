/** How V8 makes the objects of `process.nextTick`, of which a request has several. */
import { createHook } from "node:async_hooks";

let kept: object | undefined;

/**
 * Keeps one such object. V8 collects their hidden class when none is pending, and from then on makes each by a slow call, for good: a
 * tenth of the time of a short request. To be called before the heap has first been collected.
 */
export function keepTickClass(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === "TickObject") kept ??= resource;
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}
