import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Needed } from "../needed/need-words.js";
import { NeededList } from "../needed/NeededList.js";
import { degreesText, kilometersText, sunText, timeText } from "./card-text.js";
import type { Result } from "./result.js";
import { loggedPaths, pathFacts, sunFacts, type PathFacts } from "./station-facts.js";

interface Props {
  readonly result: Result;
  readonly own: string | undefined;
  readonly date: Date;
  /** What it would be for the log that is open; `undefined` without one. */
  readonly needed: readonly Needed[] | undefined;
  /** Shares the result, and returns what to tell. */
  readonly onShare: () => Promise<string>;
  readonly onClose: () => void;
}

export function StationCard({ result, own, date, needed, onShare, onClose }: Props) {
  const [shared, setShared] = useState("");
  const card = useRef<HTMLElement>(null);

  // On a phone the log or the map may fill the window. In the next frame, when the browser has kept the place for going back.
  useEffect(() => {
    const frame = requestAnimationFrame(() => card.current?.scrollIntoView({ block: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, [result]);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement && card.current?.contains(document.activeElement))
        opener.focus({ preventScroll: true });
    };
  }, []);

  const { title, station, locator, position, frequency, isExact, note, logged } = result;
  const paths = logged ? loggedPaths(logged) : own !== undefined && position && pathFacts(own, position);
  return (
    <article class="station-card surface" aria-label="Result" ref={card}>
      <header>
        <div>
          <h2>{title}</h2>
          {station && <p class="lead">{station.country}</p>}
        </div>
        <button class="plain" onClick={onClose} aria-label="Close the result">
          Close
        </button>
      </header>
      <dl>
        {station && station.continent !== "" && (
          <Fact name="Zones">
            CQ {station.cqz}
            {station.ituz !== undefined && `, ITU ${station.ituz}`}, {station.continent}
          </Fact>
        )}
        {paths && <PathRows paths={paths} />}
        {locator !== undefined && position && (
          <SunRows locator={locator} longitude={position.longitude} date={date} />
        )}
        {frequency !== undefined && <Fact name="Frequency">{frequency}</Fact>}
        {needed !== undefined && (
          <Fact name="For the log">
            {needed.length === 0 ? "Nothing is needed" : <NeededList needed={needed} />}
          </Fact>
        )}
        {locator !== undefined && (
          <Fact name="Place">
            {locator} {!isExact && <span class="muted">middle of the area of {station?.matched}</span>}
          </Fact>
        )}
      </dl>
      {note !== undefined && <p class="small muted">{note}</p>}
      <footer>
        <button onClick={() => void onShare().then(setShared)}>Copy link</button>
        <span class="small muted" role="status">
          {shared}
        </span>
      </footer>
    </article>
  );
}

function PathRows({ paths }: { readonly paths: PathFacts }) {
  const { distanceKm, heading, longDistanceKm, longHeading } = paths;
  return (
    <>
      <Fact name="Short path">
        <strong>
          {kilometersText(distanceKm)}, {degreesText(heading)}
        </strong>
      </Fact>
      <Fact name="Long path">
        {kilometersText(longDistanceKm)}, {degreesText(longHeading)}
      </Fact>
    </>
  );
}

function SunRows({ locator, longitude, date }: { locator: string; longitude: number; date: Date }) {
  const sun = sunFacts(locator, longitude, date);
  return (
    <>
      <Fact name="Sun there">{sunText(sun)}</Fact>
      <Fact name="Sunrise">{timeText(sun.sunrise, date)}</Fact>
      <Fact name="Sunset">{timeText(sun.sunset, date)}</Fact>
      <Fact name="Local time">
        {sun.solarTime} <span class="muted">by the sun</span>
      </Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
