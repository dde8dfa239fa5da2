import type { Position } from "hamkit/locator";
import { useEffect, useState } from "preact/hooks";

import "./sky.css";
import { degreesText, kilometersText } from "../station/card-text.js";
import type { WorkerClient } from "../worker/worker-client.js";
import type { Crossing, Direction, PlaceSky, SkyFacts, SkyWindow } from "./sky-facts.js";
import type { SolarReports } from "./solar-reports.js";

/** A place with the name that the panel gives it. */
export interface SkyPlace {
  readonly name: string;
  readonly position: Position;
}

interface Props {
  readonly worker: Pick<WorkerClient, "skyOf">;
  /** The own place, and that of the station, as far as they are known. */
  readonly places: readonly SkyPlace[];
  readonly date: Date;
  readonly reports: SolarReports;
}

export function SkyPanel({ worker, places, date, reports }: Props) {
  const [sky, setSky] = useState<SkyFacts>();
  const [problem, setProblem] = useState<string>();
  const key = places.map(({ position }) => `${position.latitude},${position.longitude}`).join(" ");

  useEffect(() => {
    let isLatest = true;
    void look();
    async function look(): Promise<void> {
      try {
        const found = await worker.skyOf({ places: places.map(({ position }) => position), date });
        if (!isLatest) return;
        setSky(found);
        setProblem(undefined);
      } catch {
        if (isLatest) setProblem("Sun and moon could not be loaded. They need a network the first time.");
      }
    }
    return () => void (isLatest = false);
  }, [key, date]);

  const names = places.map(({ name }) => name);
  return (
    <section class="sky-panel" aria-label="Sky" tabIndex={0}>
      <Activity reports={reports} />
      {problem !== undefined && <p class="problem">{problem}</p>}
      {places.length === 0 && <p class="muted">Set your locator, or look up a station, for sun and moon.</p>}
      {sky !== undefined && sky.places.length === names.length && names.length > 0 && (
        <>
          <Bodies sky={sky} names={names} />
          {names.length === 2 && <Windows windows={sky.windows} names={names} />}
        </>
      )}
    </section>
  );
}

function Activity({ reports: { wwv, wcy } }: { readonly reports: SolarReports }) {
  return (
    <section aria-label="Solar activity">
      <h2>Solar activity</h2>
      {wwv === undefined && wcy === undefined && (
        <p class="muted">No report yet: WWV and WCY reports come with the live spots of a DX cluster.</p>
      )}
      <dl>
        {[wwv, wcy].map(
          (report) =>
            report !== undefined && (
              <div key={report.kind}>
                <dt>{report.kind.toUpperCase()}</dt>
                <dd>
                  <strong>
                    SFI {report.sfi}, A {report.a}, K {report.k}
                  </strong>
                  {report.kind === "wcy" && `, expected K ${report.expK}, R ${report.r}`}
                  <span class="muted">
                    {" "}
                    {report.kind === "wwv" ? report.text : `aurora: ${report.aurora}`}; {timeOf(report.at)} by{" "}
                    {report.from}
                  </span>
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

const ROWS: readonly { readonly name: string; readonly text: (sky: PlaceSky) => string }[] = [
  { name: "Sun", text: ({ sun }) => directionText(sun) },
  { name: "Sunrise", text: ({ sunrise }) => crossingText(sunrise) },
  { name: "Sunset", text: ({ sunset }) => crossingText(sunset) },
  { name: "Moon", text: ({ moon }) => `${directionText(moon)}, ${kilometersText(moon.distanceKm)}` },
  { name: "Moonrise", text: ({ moonrise }) => crossingText(moonrise) },
  { name: "Moonset", text: ({ moonset }) => crossingText(moonset) },
];

function Bodies({ sky, names }: { readonly sky: SkyFacts; readonly names: readonly string[] }) {
  return (
    <section aria-label="Sun and moon">
      <h2>Sun and moon</h2>
      <table>
        <thead>
          <tr>
            <td />
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {sky.places.map((place, index) => (
                <td key={index}>{text(place)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface WindowsProps {
  readonly windows: readonly SkyWindow[];
  readonly names: readonly string[];
}

function Windows({ windows, names }: WindowsProps) {
  return (
    <section aria-label="EME windows">
      <h2>EME: the moon over both, in 7 days</h2>
      {windows.length === 0 && <p class="muted">The moon is never over both horizons.</p>}
      {windows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">UTC</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {windows.map(({ start, end, middle }) => (
              <tr key={start.getTime()}>
                <th scope="row">{start.toISOString().slice(5, 10)}</th>
                <td>
                  {clockOf(start)}–{clockOf(end)}
                </td>
                {middle.map((direction, index) => (
                  <td key={index}>
                    {Math.round(direction.elevation)}°, {degreesText(direction.azimuth)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {windows.length > 0 && (
        <p class="small muted">Elevation and azimuth of the moon in the middle of each window.</p>
      )}
    </section>
  );
}

/** `12° up, azimuth 245°` */
function directionText({ elevation, azimuth }: Direction): string {
  const height = `${Math.abs(Math.round(elevation))}° ${elevation < 0 ? "below" : "up"}`;
  return `${height}, azimuth ${degreesText(azimuth)}`;
}

/** `11-29 07:51, azimuth 121°` */
function crossingText(crossing: Crossing | null): string {
  return crossing === null ? "none" : `${timeOf(crossing.at)}, azimuth ${degreesText(crossing.azimuth)}`;
}

function timeOf(date: Date): string {
  return `${date.toISOString().slice(5, 10)} ${clockOf(date)}`;
}

function clockOf(date: Date): string {
  return date.toISOString().slice(11, 16);
}
