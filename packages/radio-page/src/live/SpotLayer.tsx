/** Spots on the map, on a canvas: thousands of elements would take too long to move. */
import { useLayoutEffect, useRef } from "preact/hooks";

import type { StageView } from "../map/map-geometry.js";
import { bandColor } from "./band-colors.js";
import type { LiveState } from "./live-state.js";
import type { LiveSpot } from "./live-spot.js";
import { ageClass, OPACITIES, spotPoint } from "./spot-points.js";
import { useLiveState } from "./use-live-state.js";

interface Props {
  readonly live: LiveState;
  readonly view: StageView;
  readonly isDark: boolean;
}

const RADIUS = 4;
/** Of what is new for the log. */
const NEW_RADIUS = 5.5;
/** A spot that is farther outside of the stage is not seen. */
const EDGE = 8;
const OUTLINE = { light: "#ffffff", dark: "#0e141b" } as const;
/** Around what is new for the log. */
const MARK = { light: "#17202a", dark: "#ffffff" } as const;

export function SpotLayer({ live, view, isDark }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLiveState(live);
  const spots = live.shown();
  const { width, height } = view;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || !context) return;
    const scale = devicePixelRatio;
    const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
    // Setting a size discards the picture and takes time.
    if (canvas.current.width !== size.width || canvas.current.height !== size.height)
      Object.assign(canvas.current, size);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, spots, { view, theme: isDark ? "dark" : "light", now: Date.now() });
  }, [spots, view, isDark, live.minute]);
  return <canvas class="spot-layer" ref={canvas} aria-hidden="true" />;
}

interface Look {
  readonly view: StageView;
  readonly theme: "light" | "dark";
  readonly now: number;
}

/** One path for all spots that look the same: thousands of single ones would take long. */
function draw(
  context: CanvasRenderingContext2D,
  spots: readonly LiveSpot[],
  { view, theme, now }: Look,
): void {
  const paths = new Map<string, { color: string; opacity: number; isNew: boolean; path: Path2D }>();
  // The oldest first, which the newer ones cover.
  for (let index = spots.length - 1; index >= 0; index--) {
    const spot = spots[index] as LiveSpot;
    const point = spotPoint(view, spot);
    if (point === undefined) continue;
    const { x, y } = point;
    if (x < -EDGE || y < -EDGE || x > view.width + EDGE || y > view.height + EDGE) continue;
    const isNew = spot.needed?.some((each) => each.isNew) === true;
    const age = ageClass(spot.time, now);
    const key = `${OPACITIES.length - age} ${isNew ? "new" : "known"} ${spot.band}`;
    let group = paths.get(key);
    if (group === undefined) {
      group = { color: bandColor(spot.band), opacity: OPACITIES[age] ?? 1, isNew, path: new Path2D() };
      paths.set(key, group);
    }
    addCircle(group.path, x, y, isNew ? NEW_RADIUS : RADIUS);
  }
  for (const [, { color, opacity, isNew, path }] of [...paths].sort(([a], [b]) => (a < b ? -1 : 1))) {
    context.globalAlpha = opacity;
    context.fillStyle = color;
    context.lineWidth = isNew ? 1.5 : 1;
    context.strokeStyle = (isNew ? MARK : OUTLINE)[theme];
    context.fill(path);
    context.stroke(path);
  }
}

function addCircle(path: Path2D, x: number, y: number, radius: number): void {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}
