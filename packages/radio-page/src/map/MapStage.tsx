import type { Position } from "hamkit/locator";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { MapSection } from "../address.js";
import type { WorkerClient } from "../worker/worker-client.js";
import { listenToGestures, type GestureHandlers } from "./map-gestures.js";
import {
  isOnStage,
  moved,
  movedToShow,
  placeAt,
  pointOf,
  transformTo,
  wholeWorld,
  zoomedAround,
  type Point,
  type Projection,
  type StageView,
} from "./map-geometry.js";
import { optionsOf, useDrawnMap, type MapContents } from "./use-drawn-map.js";

interface Props {
  readonly worker: WorkerClient;
  readonly contents: MapContents;
  readonly projection: Projection;
  /** The section to begin with, of the projection. */
  readonly section: MapSection | undefined;
  /** The own place. */
  readonly home: Position | undefined;
  /** A place that has to be seen. */
  readonly focus: Position | undefined;
  /** Pixels at the left side that something else covers. */
  readonly coveredLeft: () => number;
  /** The section that is shown; `undefined` for the whole world. */
  readonly onSection: (section: MapSection | undefined) => void;
  readonly onPoint: (place: Position | undefined) => void;
  readonly onPick: (place: Position, view: StageView, point: Point) => void;
  /** What is drawn over the map, in the section that is seen. */
  readonly layer?: ((view: StageView) => ComponentChildren) | undefined;
  /** Is given a function that draws what is seen as a picture that stands alone. */
  readonly onDrawable: (draw: () => Promise<string>) => void;
}

/** The sizes that maps can have. */
const LEAST = { width: 240, height: 120 };
const MOST = 4000;
const NOWHERE: Position = { latitude: 0, longitude: 0 };
const FACTOR = 1.5;
/** A view that stays for so long is that of the link. */
const SETTLED_MS = 400;

export function MapStage(props: Props) {
  const {
    worker,
    contents,
    projection,
    section,
    home = NOWHERE,
    focus,
    coveredLeft,
    onSection,
    onPoint,
    onPick,
    layer,
    onDrawable,
  } = props;
  const stage = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<StageView>();
  const { drawn, problem } = useDrawnMap(worker, picture, view, contents);

  // Read by listeners, which are older than the latest view.
  const latest = useRef<StageView | undefined>(undefined);
  latest.current = view;
  function change(to: StageView): void {
    latest.current = to;
    setView(to);
  }
  function reset(): void {
    const now = latest.current;
    if (now !== undefined) change(keepSeen(now, wholeWorld(now)));
  }
  /** A view after another one: moved, if it has to, so that the place that was seen is not behind what covers the map. */
  function keepSeen(before: StageView, to: StageView): StageView {
    const isSeen = focus !== undefined && isOnStage(before, pointOf(before, focus));
    return isSeen ? movedToShow(to, focus, coveredLeft()) : to;
  }
  function enlarge(factor: number): void {
    const now = latest.current;
    if (now !== undefined) change(zoomedAround(now, factor, focus, coveredLeft()));
  }
  const seeing = useRef(keepSeen);
  seeing.current = keepSeen;

  // The whole world for another projection or own place; the same section for another size.
  const { latitude, longitude } = home;
  useLayoutEffect(() => {
    const element = stage.current;
    if (element === null) return undefined;
    function fit(): void {
      const width = Math.min(Math.floor(element?.clientWidth ?? 0), MOST);
      const height = Math.min(Math.floor(element?.clientHeight ?? 0), MOST);
      if (width < LEAST.width || height < LEAST.height) return;
      const base = { projection, width, height, home: { latitude, longitude } };
      const now = latest.current;
      const isSame =
        now?.projection === projection && now.home.latitude === latitude && now.home.longitude === longitude;
      const isWhole = now === undefined || now.zoom <= wholeWorld(now).zoom;
      const next =
        now === undefined && section !== undefined
          ? moved({ ...wholeWorld(base), ...section }, { x: 0, y: 0 })
          : !isSame || isWhole
            ? wholeWorld(base)
            : moved({ ...now, ...base }, { x: 0, y: 0 });
      change(now === undefined ? next : seeing.current(now, next));
    }
    fit();
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== latest.current?.width || element.clientHeight !== latest.current.height)
        fit();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [projection, latitude, longitude]);

  // A new result that the section does not show.
  useEffect(() => {
    const now = latest.current;
    if (focus === undefined || now === undefined) return;
    // The link has the section in which its result was seen.
    if (isLinked.current) {
      isLinked.current = false;
      return;
    }
    const isSeen = isOnStage(now, pointOf(now, focus));
    change(movedToShow(isSeen ? now : wholeWorld(now), focus, coveredLeft()));
  }, [focus]);
  const isLinked = useRef(section !== undefined);

  // Not while it moves: browsers limit how often an address may change.
  useEffect(() => {
    if (view === undefined) return undefined;
    const { center, zoom } = view;
    const isWhole = zoom <= wholeWorld(view).zoom && isNear(center, wholeWorld(view).center);
    const timer = setTimeout(() => onSection(isWhole ? undefined : { center, zoom }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [view]);

  const handlers = useRef<GestureHandlers>(undefined);
  handlers.current = {
    view: () => latest.current,
    change,
    enlarge,
    reset,
    pick: (point) => {
      const now = latest.current;
      const place = now && placeAt(now, point);
      if (now !== undefined && place !== undefined) onPick(place, now, point);
    },
    point: (point) => onPoint(latest.current && point && placeAt(latest.current, point)),
  };
  useEffect(
    () => (stage.current === null ? undefined : listenToGestures(stage.current, () => handlers.current)),
    [],
  );
  useEffect(() => {
    if (view === undefined) return;
    onDrawable(async () => (await worker.drawMap(optionsOf({ view, contents }, true))).svg);
  }, [view, contents]);

  return (
    <div class="map-stage">
      <div
        class="stage"
        ref={stage}
        role="application"
        aria-label="World map"
        aria-describedby="map-keys"
        tabIndex={0}
      >
        <div class="picture" ref={picture} style={{ transform: transformOf(drawn, view) }} />
        {view !== undefined && layer?.(view)}
      </div>
      <p class="hidden" id="map-keys">
        Arrow keys move the map, plus and minus zoom, 0 shows the whole world, Enter looks up the place in the
        middle.
      </p>
      {problem !== undefined && (
        <p class="failure surface problem" role="alert">
          {problem}
        </p>
      )}
      <div class="zoom" role="group" aria-label="Zoom">
        <button aria-label="Zoom in" onClick={() => enlarge(FACTOR)}>
          +
        </button>
        <button aria-label="Zoom out" onClick={() => enlarge(1 / FACTOR)}>
          −
        </button>
        <button aria-label="Whole world" onClick={reset}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <circle cx="8" cy="8" r="6" />
            <path d="M2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12" />
          </svg>
        </button>
      </div>
    </div>
  );
}

function isNear(a: Position, b: Position): boolean {
  return Math.abs(a.latitude - b.latitude) + Math.abs(a.longitude - b.longitude) < 0.01;
}

/** Moves the last picture to where it is on the next one, until that is drawn. */
function transformOf(drawn: StageView | undefined, view: StageView | undefined): string {
  if (drawn === undefined || view === undefined || drawn.projection !== view.projection) return "none";
  const { x, y, scale } = transformTo(drawn, view);
  return `translate(${x}px, ${y}px) scale(${scale})`;
}
