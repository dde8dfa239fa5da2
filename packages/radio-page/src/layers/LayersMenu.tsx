import { useOpenMenu } from "../use-open-menu.js";
import { BEAM_WIDTHS, LAYERS, type LayerName, type Layers } from "./layers.js";

interface Props {
  readonly layers: Layers;
  /** In degrees; 0 is none. */
  readonly beam: number;
  readonly onLayer: (name: LayerName, isOn: boolean) => void;
  readonly onBeam: (width: number) => void;
}

export function LayersMenu({ layers, beam, onLayer, onBeam }: Props) {
  const menu = useOpenMenu();
  return (
    <details class="menu" ref={menu}>
      <summary class="button">Layers</summary>
      <div class="surface" role="group" aria-label="Layers of the map">
        {LAYERS.map(({ name, label }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={layers.has(name)}
              onChange={({ currentTarget }) => onLayer(name, currentTarget.checked)}
            />
            {label}
          </label>
        ))}
        <label class="wide">
          Beam to the station
          <select value={beam} onChange={({ currentTarget }) => onBeam(Number(currentTarget.value))}>
            {BEAM_WIDTHS.map((width) => (
              <option key={width} value={width}>
                {width === 0 ? "Off" : `${width}°`}
              </option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}
