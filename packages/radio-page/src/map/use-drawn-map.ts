/** Draws the map of a view in the worker, and puts it on the stage. */
import { useEffect, useRef, useState } from "preact/hooks";

import type { WorkerClient } from "../worker/worker-client.js";
import type { PageMapOptions } from "./draw.js";
import { pixelsPerDegree, type StageView } from "./map-geometry.js";
import { showPicture } from "./map-picture.js";

/** What to draw; the stage adds size and section. */
export type MapContents = Omit<
  PageMapOptions,
  "width" | "height" | "view" | "projection" | "coast" | "caption" | "id"
>;

interface Job {
  readonly view: StageView;
  readonly contents: MapContents;
}

const INCOMPLETE =
  "Some layers could not be loaded. They need a network the first time; later they are on this device.";
/** Pixels per degree from which on the coarse coast has visible corners. */
const FINE_COAST = 10;

/** The options for the map of a view. */
export function optionsOf({ view, contents }: Job, caption: boolean): PageMapOptions {
  const { projection, center, zoom, home, width, height } = view;
  // An azimuthal map has to begin somewhere, also where no own locator is known.
  const middle =
    projection === "azimuthal" && contents.from === undefined ? { from: { ...home, label: "" } } : {};
  const coast = pixelsPerDegree(view) >= FINE_COAST ? "fine" : "coarse";
  const section = { projection, width, height, view: { center, zoom }, coast } as const;
  return { ...contents, ...middle, ...section, caption, id: "map" };
}

/**
 * The view that is on the stage, and why another one could not be drawn. One map is drawn at a time: those that a gesture has
 * passed meanwhile are skipped.
 */
export function useDrawnMap(
  worker: WorkerClient,
  stage: { readonly current: HTMLElement | null },
  view: StageView | undefined,
  contents: MapContents,
): { readonly drawn: StageView | undefined; readonly problem: string | undefined } {
  const [drawn, setDrawn] = useState<StageView>();
  const [problem, setProblem] = useState<string>();
  const queue = useRef<{ next: Job | undefined; isDrawing: boolean }>({ next: undefined, isDrawing: false });

  useEffect(() => {
    if (view === undefined) return;
    queue.current.next = { view, contents };
    if (!queue.current.isDrawing) void drawLatest();
  }, [view, contents]);

  async function drawLatest(): Promise<void> {
    queue.current.isDrawing = true;
    for (let job = queue.current.next; job !== undefined; job = queue.current.next) {
      queue.current.next = undefined;
      try {
        const { svg, isIncomplete } = await worker.drawMap(optionsOf(job, false));
        if (stage.current !== null) showPicture(stage.current, svg);
        setDrawn(job.view);
        setProblem(isIncomplete ? INCOMPLETE : undefined);
      } catch (error) {
        setProblem(`The map could not be drawn: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    queue.current.isDrawing = false;
  }
  return { drawn, problem };
}
