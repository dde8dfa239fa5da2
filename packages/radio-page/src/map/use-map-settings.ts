/** What the map shows besides stations and logs: projection, section, layers and beam. They are kept on the device; the link comes first. */
import { useState } from "preact/hooks";

import type { MapSection, PageAddress } from "../address.js";
import { keep, readKept } from "../device.js";
import { readBeam, readLayers, switched, type LayerName, type Layers } from "../layers/layers.js";
import type { ShownPlaces } from "../log/log-types.js";
import { isProjection, type Projection } from "./map-geometry.js";
import type { MapContents } from "./use-drawn-map.js";

export interface MapSettings {
  readonly projection: Projection;
  /** The section that is shown; `undefined` for the whole world. */
  readonly section: MapSection | undefined;
  readonly layers: Layers;
  readonly beam: number;
  readonly setProjection: (projection: Projection) => void;
  readonly setSection: (section: MapSection | undefined) => void;
  readonly setLayer: (name: LayerName, isOn: boolean) => void;
  readonly setBeam: (width: number) => void;
}

export function useMapSettings(linked: PageAddress): MapSettings {
  const [projection, setProjection] = useState<Projection>(linked.projection ?? keptProjection());
  const [section, setSection] = useState(linked.section);
  const [layers, setLayers] = useState(readLayers);
  const [beam, setBeam] = useState(readBeam);
  return {
    projection,
    section,
    layers,
    beam,
    setProjection: (wanted) => {
      keep("projection", wanted);
      setProjection(wanted);
    },
    setSection,
    setLayer: (name, isOn) => setLayers((before) => switched(before, name, isOn)),
    setBeam: (width) => {
      keep("beam", String(width));
      setBeam(width);
    },
  };
}

function keptProjection(): Projection {
  const kept = readKept("projection");
  return isProjection(kept) ? kept : "equirectangular";
}

/** The layers as options of the map. */
export function layerOptions(
  { layers, beam }: Pick<MapSettings, "layers" | "beam">,
  places: ShownPlaces | undefined,
): Partial<MapContents> {
  const zones = layers.has("cq") ? "cq" : layers.has("itu") ? "itu" : undefined;
  const entityTexts = { names: layers.has("names"), prefixes: layers.has("prefixes") };
  return {
    grid: layers.has("grid"),
    borders: layers.has("borders"),
    zones,
    entityTexts: entityTexts.names || entityTexts.prefixes ? entityTexts : undefined,
    hasMoon: layers.has("moon"),
    beam: beam === 0 ? undefined : { width: beam },
    squares: layers.has("squares") ? places?.squares : undefined,
    entities: layers.has("entities") ? places?.entities : undefined,
    paths: layers.has("paths") ? places?.paths : undefined,
  };
}
