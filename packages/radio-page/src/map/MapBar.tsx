import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { minuteText, readTime } from "../address.js";
import { THEME_CHOICES, isThemeChoice, type ThemeChoice } from "../theme.js";
import { useOpenMenu } from "../use-open-menu.js";
import { useWide } from "../use-wide.js";
import type { Projection } from "./map-geometry.js";

interface Props {
  readonly projection: Projection;
  /** The menu of layers. */
  readonly layers: ComponentChildren;
  readonly theme: ThemeChoice;
  /** The moment that is shown, and whether it was chosen. */
  readonly date: Date;
  readonly isChosen: boolean;
  readonly own: string | undefined;
  readonly pointed: string;
  readonly onProjection: (projection: Projection) => void;
  readonly onTheme: (theme: ThemeChoice) => void;
  readonly onTime: (time: Date | undefined) => void;
  readonly onOwn: () => void;
  readonly onSave: (format: "png" | "svg") => void;
}

const HOUR_MS = 3_600_000;
const THEME_NAMES: Readonly<Record<ThemeChoice, string>> = {
  auto: "Dark at night",
  light: "Light",
  dark: "Dark",
};

export function MapBar(props: Props) {
  const { projection, layers, onProjection } = props;
  const isWide = useWide();
  return (
    <div class="map-bar">
      <div class="group" role="group" aria-label="Projection">
        <button
          aria-pressed={projection === "equirectangular"}
          onClick={() => onProjection("equirectangular")}
        >
          World
        </button>
        <button aria-pressed={projection === "azimuthal"} onClick={() => onProjection("azimuthal")}>
          Azimuthal
        </button>
      </div>
      {layers}
      {isWide ? <Others {...props} /> : <MoreMenu {...props} />}
    </div>
  );
}

/** On a phone: what is used less often, so that the panels are near. */
function MoreMenu(props: Props) {
  const menu = useOpenMenu();
  return (
    <details class="menu more" ref={menu}>
      <summary class="button">More</summary>
      <div class="surface">
        <Others {...props} />
      </div>
    </details>
  );
}

/** Time, own locator, pictures and colors. */
function Others({ theme, date, isChosen, own, pointed, onTheme, onTime, onOwn, onSave }: Props) {
  const shift = (hours: number) => onTime(new Date(date.getTime() + hours * HOUR_MS));
  return (
    <>
      <div class="group time" role="group" aria-label="Time of day and night">
        <button aria-label="−1 h, earlier" onClick={() => shift(-1)}>
          −1 h
        </button>
        <TimeField date={date} onTime={onTime} />
        <button aria-label="+1 h, later" onClick={() => shift(1)}>
          +1 h
        </button>
        <span class="small muted">UTC</span>
        <button aria-pressed={!isChosen} onClick={() => onTime(undefined)}>
          Now
        </button>
      </div>
      <span class="pointed small muted">{pointed}</span>
      <button onClick={onOwn}>{own === undefined ? "Set your locator" : `From ${own}`}</button>
      <div class="group" role="group" aria-label="Save the map">
        <button onClick={() => onSave("png")}>Save PNG</button>
        <button onClick={() => onSave("svg")}>Save SVG</button>
      </div>
      <select
        aria-label="Colors"
        value={theme}
        onChange={({ currentTarget: { value } }) => {
          if (isThemeChoice(value)) onTheme(value);
        }}
      >
        {THEME_CHOICES.map((choice) => (
          <option key={choice} value={choice}>
            {THEME_NAMES[choice]}
          </option>
        ))}
      </select>
    </>
  );
}

/** A field of the browser for dates and times would have them in the form of its language, with 12 hours in some. */
function TimeField({ date, onTime }: Pick<Props, "date" | "onTime">) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      class="utc"
      aria-label="Time in UTC"
      title="Date and time in UTC, such as 2026-11-23T07:00"
      maxLength={16}
      autocomplete="off"
      spellcheck={false}
      value={typed ?? minuteText(date).slice(0, 16)}
      aria-invalid={typed !== undefined && timeIn(typed) === undefined}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        const time = timeIn(value);
        if (time !== undefined) onTime(time);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}

/** Of `2026-11-23T07:00`, also with a blank. */
function timeIn(text: string): Date | undefined {
  return readTime(`${text.trim().replace(" ", "T")}Z`);
}
