import type { Count } from "./log-types.js";

interface Props {
  /** What the values are: Bands. */
  readonly label: string;
  readonly counts: readonly Count[];
  readonly chosen: readonly string[];
  /** The color that a value has on the map. */
  readonly colorOf?: (name: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** More are no help, and only damaged logs have them. */
const MAX_CHIPS = 24;

export function FilterChips({ label, counts, chosen, colorOf, onChange }: Props) {
  return (
    <div class="filter-chips" role="group" aria-label={label}>
      <span class="small muted" aria-hidden="true">
        {label}
      </span>
      {counts.slice(0, MAX_CHIPS).map(({ name, qsos }) => {
        const isChosen = chosen.includes(name);
        const others = chosen.filter((other) => other !== name);
        return (
          <button
            key={name}
            aria-pressed={isChosen}
            onClick={() => onChange(isChosen ? others : [...chosen, name])}
          >
            {colorOf && <span class="band-dot" style={{ background: colorOf(name) }} />}
            {name} <small>{qsos.toLocaleString("en")}</small>
          </button>
        );
      })}
    </div>
  );
}
