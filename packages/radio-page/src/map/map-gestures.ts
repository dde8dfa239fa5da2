/** Moves and enlarges a map by mouse, touch, wheel and keys. */
import { moved, zoomed, type Point, type StageView } from "./map-geometry.js";

export interface GestureHandlers {
  /** `undefined` before the stage has a size. */
  readonly view: () => StageView | undefined;
  readonly change: (view: StageView) => void;
  /** Enlarges around the station that is shown, or the middle. */
  readonly enlarge: (factor: number) => void;
  /** The whole world again. */
  readonly reset: () => void;
  /** A point of the stage was clicked, or the middle chosen by Enter. */
  readonly pick: (point: Point) => void;
  /** Where the pointer is; `undefined` when it leaves. */
  readonly point: (point: Point | undefined) => void;
}

/** Pixels by which an arrow moves the map, and the factor of plus. */
const STEP = 80;
const FACTOR = 1.5;
/** A finger that moves less than this, in pixels, has clicked. */
const STILL = 5;
/** Pixels of the wheel for twice the size. */
const WHEEL = 250;

/**
 * Listens on the stage until the returned function is called.
 *
 * @param latest The handlers, which may be others each time.
 */
export function listenToGestures(stage: HTMLElement, latest: () => GestureHandlers | undefined): () => void {
  const fingers = new Map<number, Point>();
  let way = 0;

  function pointIn({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const { left, top } = stage.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  function changeView(change: (view: StageView) => StageView): void {
    const handlers = latest();
    const view = handlers?.view();
    if (view !== undefined) handlers?.change(change(view));
  }

  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    if (fingers.size === 0) way = 0;
    fingers.set(event.pointerId, pointIn(event));
  }

  function move(event: PointerEvent): void {
    const now = pointIn(event);
    latest()?.point(now);
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const other = Array.from(fingers).find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    way += distance(before, now);
    const by = { x: before.x - now.x, y: before.y - now.y };
    if (other === undefined) {
      if (way >= STILL) changeView((view) => moved(view, by));
      return;
    }
    // Two fingers: each moves its half, and both enlarge around their middle.
    const factor = distance(now, other) / Math.max(distance(before, other), 1);
    const between = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    changeView((view) => zoomed(moved(view, { x: by.x / 2, y: by.y / 2 }), factor, between));
  }

  function up(event: PointerEvent): void {
    const isClick = fingers.size === 1 && fingers.has(event.pointerId) && way < STILL;
    fingers.delete(event.pointerId);
    if (isClick && event.type === "pointerup") latest()?.pick(pointIn(event));
  }

  function wheel(event: WheelEvent): void {
    // In a page that is longer than its window the wheel scrolls the page.
    const { scrollHeight, clientHeight } = document.documentElement;
    if (scrollHeight > clientHeight && !event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
    changeView((view) => zoomed(view, 2 ** (-pixels / WHEEL), pointIn(event)));
  }

  function key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
    const handlers = latest();
    const view = handlers?.view();
    if (handlers === undefined || view === undefined) return;
    event.preventDefault();
    KEYS[event.key]?.(handlers, view, { x: view.width / 2, y: view.height / 2 });
  }

  const listeners = new AbortController();
  const options = { signal: listeners.signal };
  stage.addEventListener("pointerdown", down, options);
  stage.addEventListener("pointermove", move, options);
  stage.addEventListener("pointerup", up, options);
  stage.addEventListener("pointercancel", up, options);
  stage.addEventListener("pointerleave", () => latest()?.point(undefined), options);
  stage.addEventListener("wheel", wheel, { ...options, passive: false });
  stage.addEventListener("keydown", key, options);
  return () => listeners.abort();
}

type KeyAction = (handlers: GestureHandlers, view: StageView, middle: Point) => void;

const enlarge: KeyAction = (handlers) => handlers.enlarge(FACTOR);

const KEYS: Readonly<Record<string, KeyAction>> = {
  ArrowLeft: ({ change }, view) => change(moved(view, { x: -STEP, y: 0 })),
  ArrowRight: ({ change }, view) => change(moved(view, { x: STEP, y: 0 })),
  ArrowUp: ({ change }, view) => change(moved(view, { x: 0, y: -STEP })),
  ArrowDown: ({ change }, view) => change(moved(view, { x: 0, y: STEP })),
  "+": enlarge,
  "=": enlarge,
  "-": (handlers) => handlers.enlarge(1 / FACTOR),
  "0": ({ reset }) => reset(),
  Enter: ({ pick }, _, middle) => pick(middle),
};

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
