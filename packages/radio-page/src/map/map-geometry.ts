/**
 * From places to pixels of a map and back, for moving and enlarging it. The same projections as those of `drawMap`, in closed form;
 * a test compares the two.
 */
import type { Position } from "hamkit/locator";

export type Projection = "equirectangular" | "azimuthal";

export function isProjection(text: string | undefined): text is Projection {
  return text === "equirectangular" || text === "azimuthal";
}

/** A section of the world on a stage of some size. */
export interface StageView {
  readonly projection: Projection;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly center: Position;
  /** 1: the whole world fits. */
  readonly zoom: number;
  /** The middle of the azimuthal projection. */
  readonly home: Position;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const MAX_ZOOM = 64;

/** Pixels around an azimuthal map for its compass rose, at zoom 1. */
const ROSE = 40;
/** A world that fills the stage is better than one with empty stripes, unless that hides more than a quarter of it. */
const MAX_COVER = 1.35;

/** A place is seen well at this distance from the edge of the stage, in pixels. */
const EDGE = 48;

const RADIANS = Math.PI / 180;

/** Pixels per degree: along the equator, or from the center of an azimuthal map. */
export function pixelsPerDegree({ projection, width, height, zoom }: StageView): number {
  return projection === "azimuthal"
    ? ((Math.min(width, height) / 2 - ROSE) / 180) * zoom
    : (Math.min(width, 2 * height) / 360) * zoom;
}

/** Where a place is on the stage. */
export function pointOf(view: StageView, place: Position): Point {
  const middle = planeOf(view, view.center);
  const point = planeOf(view, place);
  return { x: view.width / 2 + point.x - middle.x, y: view.height / 2 + point.y - middle.y };
}

/** The place at a point of the stage; `undefined` outside of the world. */
export function placeAt(view: StageView, { x, y }: Point): Position | undefined {
  const middle = planeOf(view, view.center);
  return placeOnPlane(view, { x: x - view.width / 2 + middle.x, y: y - view.height / 2 + middle.y });
}

/** The view moved by pixels: what was `by` to the right and below the middle is in the middle. */
export function moved(view: StageView, by: Point): StageView {
  const middle = planeOf(view, view.center);
  const scale = pixelsPerDegree(view);
  const x = middle.x + by.x;
  const y = middle.y + by.y;
  if (view.projection === "equirectangular") {
    // As far as the poles, where the world is higher than the stage; otherwise it stays in the middle.
    const room = Math.max(0, 90 - view.height / 2 / scale);
    const latitude = Math.min(Math.max(-y / scale, -room), room);
    return { ...view, center: { latitude, longitude: wrapped(x / scale) } };
  }
  const edge = 180 * scale;
  const away = Math.hypot(x, y);
  // The antipode is a circle, on which a place has no heading.
  const share = away > 0.999 * edge ? (0.999 * edge) / away : 1;
  const center = placeOnPlane(view, { x: x * share, y: y * share });
  return center === undefined ? view : { ...view, center };
}

/** The view enlarged by a factor, so that the place at a point stays there. */
export function zoomed(view: StageView, factor: number, at: Point): StageView {
  const zoom = Math.min(Math.max(view.zoom * factor, 1), MAX_ZOOM);
  const off = { x: at.x - view.width / 2, y: at.y - view.height / 2 };
  const grown = zoom / view.zoom;
  if (zoom === 1 && view.projection === "azimuthal") return { ...view, zoom, center: view.home };
  return moved({ ...view, zoom }, { x: off.x * (grown - 1), y: off.y * (grown - 1) });
}

/**
 * The view enlarged by a factor, so that a place that is seen stays where it is, and is seen on; without one, the middle stays.
 *
 * @param coveredLeft Pixels at the left side that something else covers.
 */
export function zoomedAround(
  view: StageView,
  factor: number,
  place: Position | undefined,
  coveredLeft: number,
): StageView {
  const middle = { x: view.width / 2, y: view.height / 2 };
  const point = place === undefined ? undefined : pointOf(view, place);
  if (place === undefined || point === undefined || !isOnStage(view, point))
    return zoomed(view, factor, middle);
  return movedToShow(zoomed(view, factor, point), place, coveredLeft);
}

export function isOnStage({ width, height }: StageView, { x, y }: Point): boolean {
  return x >= 0 && y >= 0 && x <= width && y <= height;
}

/** The whole world, or nearly, around the own place. */
export function wholeWorld(view: Omit<StageView, "center" | "zoom">): StageView {
  const { width, height, home, projection } = view;
  if (projection === "azimuthal") return { ...view, zoom: 1, center: home };
  const cover = Math.max(width / (2 * height), (2 * height) / width);
  const zoom = cover > MAX_COVER ? 1 : cover;
  return moved({ ...view, zoom, center: { latitude: 0, longitude: home.longitude } }, { x: 0, y: 0 });
}

/** The view moved as little as is needed to see a place, also where something covers the left side of the stage. */
export function movedToShow(view: StageView, place: Position, coveredLeft: number): StageView {
  const { x, y } = pointOf(view, place);
  return moved(view, {
    x: x - within(x, coveredLeft + EDGE, view.width - EDGE),
    y: y - within(y, EDGE, view.height - EDGE),
  });
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** The change from one view to another of the same projection, as a movement and enlargement of its picture. */
export function transformTo(from: StageView, to: StageView): { x: number; y: number; scale: number } {
  const scale = to.zoom / from.zoom;
  const { x, y } = pointOf(from, to.center);
  return { x: (from.width / 2 - x) * scale, y: (from.height / 2 - y) * scale, scale };
}

/** Pixels from 0° N 0° E, or from the center of an azimuthal map; next to the middle of the view, across 180° too. */
function planeOf(view: StageView, { latitude, longitude }: Position): Point {
  const scale = pixelsPerDegree(view);
  if (view.projection === "equirectangular") {
    const { center } = view;
    return { x: (center.longitude + wrapped(longitude - center.longitude)) * scale, y: -latitude * scale };
  }
  const { home } = view;
  const turn = (longitude - home.longitude) * RADIANS;
  const [sin0, cos0] = sinCos(home.latitude);
  const [sin1, cos1] = sinCos(latitude);
  const north = cos0 * sin1 - sin0 * cos1 * Math.cos(turn);
  const east = cos1 * Math.sin(turn);
  const ahead = sin0 * sin1 + cos0 * cos1 * Math.cos(turn);
  const across = Math.hypot(north, east);
  const away = (Math.atan2(across, ahead) / RADIANS) * scale;
  return across === 0 ? { x: 0, y: -away } : { x: (away * east) / across, y: (-away * north) / across };
}

function placeOnPlane(view: StageView, { x, y }: Point): Position | undefined {
  const scale = pixelsPerDegree(view);
  if (view.projection === "equirectangular") {
    const latitude = -y / scale;
    return Math.abs(latitude) > 90 ? undefined : { latitude, longitude: wrapped(x / scale) };
  }
  const away = Math.hypot(x, y) / scale;
  if (away > 180) return undefined;
  const heading = Math.atan2(x, -y);
  const [sin0, cos0] = sinCos(view.home.latitude);
  const [sin, cos] = sinCos(away);
  const up = sin0 * cos + cos0 * sin * Math.cos(heading);
  const turn = Math.atan2(sin * Math.sin(heading), cos0 * cos - sin0 * sin * Math.cos(heading));
  return {
    latitude: Math.asin(Math.min(Math.max(up, -1), 1)) / RADIANS,
    longitude: wrapped(view.home.longitude + turn / RADIANS),
  };
}

/** A longitude from -180 to 180. */
function wrapped(longitude: number): number {
  return longitude - 360 * Math.round(longitude / 360);
}

function sinCos(degrees: number): [sin: number, cos: number] {
  return [Math.sin(degrees * RADIANS), Math.cos(degrees * RADIANS)];
}
