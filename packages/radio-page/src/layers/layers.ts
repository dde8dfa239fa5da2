/** The layers of the map: what can be switched on, and what this device has on. */
import { keep, readKept } from "../device.js";

/** In the order of the menu. */
export const LAYERS = [
  { name: "grid", label: "Locator grid" },
  { name: "borders", label: "Borders" },
  { name: "names", label: "Entity names" },
  { name: "prefixes", label: "Prefixes" },
  { name: "cq", label: "CQ zones" },
  { name: "itu", label: "ITU zones" },
  { name: "moon", label: "Moon" },
  { name: "squares", label: "Squares of the log" },
  { name: "entities", label: "Entities of the log" },
  { name: "paths", label: "Paths of the log" },
] as const;

export type LayerName = (typeof LAYERS)[number]["name"];
export type Layers = ReadonlySet<LayerName>;

/** Degrees between the edges of the beam; 0 is none. */
export const BEAM_WIDTHS = [0, 15, 30, 45, 60, 90] as const;

const DEFAULT: Layers = new Set<LayerName>(["squares", "paths"]);

export function readLayers(): Layers {
  const names = readKept("layers")?.split(",");
  if (names === undefined) return DEFAULT;
  return new Set(LAYERS.flatMap(({ name }) => (names.includes(name) ? [name] : [])));
}

/** Switches a layer, and keeps that. The zones are of one kind. */
export function switched(layers: Layers, name: LayerName, isOn: boolean): Layers {
  const others = { cq: "itu", itu: "cq" }[name as string];
  const next = new Set(Array.from(layers).filter((each) => each !== name && !(isOn && each === others)));
  if (isOn) next.add(name);
  keep("layers", Array.from(next).join(","));
  return next;
}

export function readBeam(): number {
  return BEAM_WIDTHS.find((width) => String(width) === readKept("beam")) ?? 0;
}
