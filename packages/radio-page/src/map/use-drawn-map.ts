/** Draws the map of a view in the worker, and puts it on the stage. */
import type { MapOptions } from "hamkit/map";
import { useEffect, useRef, useState } from "preact/hooks";

import type { WorkerClient } from "../worker/worker-client.js";
import type { StageView } from "./map-geometry.js";
import { showPicture } from "./map-picture.js";

/** What to draw; the stage adds size and section. */
export type MapContents = Omit<MapOptions, "width" | "height" | "view" | "projection" | "caption" | "id">;

interface Job {
  readonly view: StageView;
  readonly contents: MapContents;
}

/** The options for the map of a view. */
export function optionsOf({ view, contents }: Job, caption: boolean): MapOptions {
  const { projection, center, zoom, home, width, height } = view;
  // An azimuthal map has to begin somewhere, also where no own locator is known.
  const middle =
    projection === "azimuthal" && contents.from === undefined ? { from: { ...home, label: "" } } : {};
  return { ...contents, ...middle, projection, width, height, view: { center, zoom }, caption, id: "map" };
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
        const svg = await worker.drawMap(optionsOf(job, false));
        if (stage.current !== null) showPicture(stage.current, svg);
        setDrawn(job.view);
        setProblem(undefined);
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    }
    queue.current.isDrawing = false;
  }
  return { drawn, problem };
}
