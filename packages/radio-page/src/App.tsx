import { latlongToLocator, locatorToLatlong, type Position } from "hamkit/locator";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { readAddress, writeAddress } from "./address.js";
import { keep, readKept } from "./device.js";
import { LayersMenu } from "./layers/LayersMenu.js";
import { lazy } from "./lazy.js";
import type { LiveSpot } from "./live/live-spot.js";
import { useLive } from "./live/use-live.js";
import type { LogFile, LogRow } from "./log/log-types.js";
import { useLog } from "./log/use-log.js";
import { MapBar } from "./map/MapBar.js";
import { MapLegend } from "./map/MapLegend.js";
import { MapStage } from "./map/MapStage.js";
import type { Point, StageView } from "./map/map-geometry.js";
import { saveFile, toPng } from "./map/map-picture.js";
import type { MapContents } from "./map/use-drawn-map.js";
import { layerOptions, useMapSettings } from "./map/use-map-settings.js";
import { useNeeded } from "./needed/use-needed.js";
import { isPanelId, Panels, type PanelId } from "./panels/Panels.js";
import { SearchBar } from "./search/SearchBar.js";
import { isLocator } from "./search/is-locator.js";
import { degreesText, kilometersText } from "./station/card-text.js";
import { OwnLocator } from "./station/OwnLocator.js";
import type { Result } from "./station/result.js";
import { StationCard } from "./station/StationCard.js";
import { pathFacts, type LoggedPath } from "./station/station-facts.js";
import { useCardHistory } from "./use-card-history.js";
import { useEscape } from "./use-escape.js";
import { useTheme } from "./use-theme.js";
import { useDroppedFile } from "./use-dropped-file.js";
import { useNow } from "./use-now.js";
import { startWorker } from "./worker/worker-client.js";

const worker = startWorker("map");

const LogPanel = lazy(async () => (await import("./log/LogPanel.js")).LogPanel);
const SkyPanel = lazy(async () => (await import("./sky/SkyPanel.js")).SkyPanel);

/** Of the column over the map, in pixels. */
const CARDS_WIDTH = 448;

/** What the address has when the page is opened. */
const linked = readAddress(location.hash);

export function App() {
  const [text, setText] = useState(linked.search);
  const [problem, setProblem] = useState<string>();
  const [result, setResult] = useState<Result>();
  const [own, setOwn] = useState(linked.from ?? readLocator());
  const [isAsking, setAsking] = useState(false);
  const [time, setTime] = useState(linked.time);
  const settings = useMapSettings(linked);
  const { projection, section, layers, beam } = settings;
  const [pointed, setPointed] = useState<Position>();
  const [panel, setPanel] = useState<PanelId | undefined>(readPanel);
  const [message, setMessage] = useState("");
  const now = useNow();
  const { choice, color, choose } = useTheme(own, now);
  const { log, ...desk } = useLog(setMessage);
  const live = useLive({ isOpen: panel === "live", own, needsOfLog: desk.needs });
  const needed = useNeeded(result, desk.needs ?? live.ask);
  const drawMap = useRef<() => Promise<string>>(undefined);
  const searches = useRef(0);

  const date = time ?? now;
  const home = useMemo(() => placeOf(own), [own]);
  const contents = useMemo<MapContents>(() => {
    const to = result?.position && { ...result.position, label: result.title };
    return {
      from: own,
      to,
      longpath: true,
      date,
      theme: color,
      ...layerOptions({ layers, beam }, log?.places),
    };
  }, [own, result, log?.places, date, layers, beam, color]);
  // A section is of one projection; the world is the usual one.
  const isUsual = projection === "equirectangular" && section === undefined;
  const linkedMap = { projection: isUsual ? undefined : projection, section };

  const skyPlaces = [
    ...(own !== undefined && home ? [{ name: own, position: home }] : []),
    ...(result?.position ? [{ name: result.title, position: result.position }] : []),
  ];

  useEffect(() => {
    if (linked.search !== "") void search(linked.search);
  }, []);

  const card = useCardHistory((address) => void search(address.search));

  // Reloading shows the same. The own locator is on the device, unless it is that of the link.
  // Before the user sees the result: going back at once would otherwise write it to the entry before the card.
  useLayoutEffect(() => {
    const shown = {
      search: result === undefined ? "" : text,
      from: own === linked.from ? own : undefined,
      time,
      ...linkedMap,
    };
    card.show(result !== undefined, writeAddress(shown) || location.pathname + location.search);
  }, [result, own, time, projection, section]);

  /** @param logged The path of the QSO, if it was chosen in the log. */
  async function search(wanted: string, logged?: LoggedPath): Promise<void> {
    const number = ++searches.current;
    setText(wanted);
    const answer = await worker.search(wanted, date);
    if (number !== searches.current) return; // a later one
    const isProblem = answer !== undefined && "problem" in answer;
    setProblem(isProblem ? answer.problem : undefined);
    if (!isProblem) setResult(answer && { ...answer, logged });
  }

  /** Closes the card. */
  function close(): void {
    if (!card.goBack()) void search("");
  }
  useEscape(isAsking ? () => setAsking(false) : result === undefined ? undefined : close);

  /** Looks up the spot at a point of the map, or the place. */
  function pick({ latitude, longitude }: Position, view: StageView, point: Point): void {
    const spot = live.loaded?.parts.spotAt(view, live.loaded.state.shown(), point);
    void search(spot === undefined ? latlongToLocator(latitude, longitude) : spotText(spot));
  }

  async function openServerLog(url: string, name: string): Promise<void> {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${name}: the server answers ${response.status}.`);
    openLog(new File([await response.blob()], name));
  }

  async function share(): Promise<string> {
    const link = new URL(writeAddress({ search: text, from: own, time, ...linkedMap }), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      return "Copied";
    } catch {
      return link; // to be copied by hand
    }
  }

  /** Shows the message of an error on the page. */
  async function attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      setMessage("");
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
    }
  }

  function openLog(file: File): void {
    setMessage(`Reading ${file.name} …`);
    void attempt(async () => {
      const notKept = await desk.open(file, own);
      openPanel("log");
      if (notKept !== undefined) throw new Error(notKept);
    });
  }

  function openPanel(wanted: PanelId | undefined): void {
    keep("panel", wanted);
    setPanel(wanted);
  }

  async function saveLog(format: "adi" | "csv"): Promise<void> {
    const [first, ...others] = log?.overview.logs ?? [];
    const name = others.length > 0 ? "logs" : first?.name.replace(/\.[^.]*$/, "");
    saveFile(await desk.write(format), `${name}-annotated.${format}`, "text/plain");
  }

  async function saveMap(format: "png" | "svg"): Promise<void> {
    const svg = await drawMap.current?.();
    if (svg === undefined) return;
    const name = `map-${result?.title.replaceAll(/[^A-Za-z0-9]+/g, "-") ?? "world"}.${format}`;
    if (format === "svg") saveFile(svg, name, "image/svg+xml");
    else saveFile(await toPng(svg), name, "image/png");
  }

  const isDragging = useDroppedFile(openLog);
  return (
    <>
      <main class={panel === undefined ? undefined : "with-panel"}>
        <h1 class="hidden">hamkit radio: where is that station?</h1>
        <div class="search">
          <SearchBar
            text={text}
            problem={problem}
            onText={setText}
            onSearch={(wanted) => void attempt(() => search(wanted))}
            onFile={openLog}
          />
        </div>
        <div class="map">
          <MapStage
            worker={worker}
            contents={contents}
            projection={projection}
            section={section}
            home={home}
            focus={result?.position}
            coveredLeft={() => (matchMedia("(width < 900px)").matches ? 0 : CARDS_WIDTH)}
            onSection={settings.setSection}
            onPoint={setPointed}
            onPick={pick}
            layer={live.layer(color === "dark")}
            onDrawable={(draw) => (drawMap.current = draw)}
          />
          {log !== undefined && <MapLegend {...layerOptions(settings, log.places)} />}
        </div>
        <div class="cards">
          {(own === undefined || isAsking) && (
            <OwnLocator
              locator={own}
              onSave={(locator) => {
                keep("locator", locator);
                setOwn(locator);
                setAsking(false);
              }}
              onCancel={isAsking ? () => setAsking(false) : undefined}
            />
          )}
          {result !== undefined && (
            <StationCard
              key={result.title}
              result={result}
              own={own}
              date={date}
              needed={needed}
              onShare={share}
              onClose={close}
            />
          )}
          <p class={message === "" ? "hidden" : "message surface"} role="status">
            {message}
          </p>
        </div>
        <MapBar
          projection={projection}
          layers={
            <LayersMenu layers={layers} beam={beam} onLayer={settings.setLayer} onBeam={settings.setBeam} />
          }
          theme={choice}
          date={date}
          isChosen={time !== undefined}
          own={own}
          pointed={pointedText(pointed, own)}
          onProjection={settings.setProjection}
          onTheme={choose}
          onTime={setTime}
          onOwn={() => setAsking(true)}
          onSave={(format) => void attempt(() => saveMap(format))}
        />
        <Panels
          open={panel}
          onOpen={openPanel}
          panels={[
            {
              id: "live",
              title: "Live",
              render: () =>
                live.loaded === undefined ? (
                  <p class={live.problem === undefined ? "empty muted" : "empty problem"} role="status">
                    {live.problem ?? "Loading …"}
                  </p>
                ) : (
                  <live.loaded.parts.LivePanel
                    live={live.loaded.state}
                    own={own}
                    onPick={(spot) => void attempt(() => search(spotText(spot)))}
                    onLog={(url, name) => void attempt(() => openServerLog(url, name))}
                  />
                ),
            },
            {
              id: "log",
              title: "Log",
              note: logNote(log?.overview.logs),
              render: () =>
                log === undefined ? (
                  <p class="empty muted">Drop a log anywhere, or open one: ADIF, Cabrillo, EDI, FLE.</p>
                ) : (
                  <LogPanel
                    log={log}
                    desk={desk}
                    onFilter={(filter) => void attempt(() => desk.filter(filter))}
                    onSort={(sort) => void attempt(() => desk.order(sort))}
                    onCall={(row) => void search(searchOf(row), loggedPathOf(row))}
                    onSave={(format) => void attempt(() => saveLog(format))}
                    onClose={(id) => void attempt(() => desk.close(id))}
                  />
                ),
            },
            {
              id: "sky",
              title: "Sky",
              render: () => (
                <SkyPanel worker={worker} places={skyPlaces} date={date} reports={live.reports} />
              ),
            },
          ]}
        />
      </main>
      {isDragging && <p class="drop">Drop the log to open it</p>}
    </>
  );
}

/** The call of a spot, with its place if it has one, and its frequency. */
function spotText({ dx, dxGrid, frequencyKHz }: LiveSpot): string {
  const place = dxGrid !== undefined && isLocator(dxGrid) ? [dxGrid] : [];
  return [dx, ...place, Number((frequencyKHz / 1000).toFixed(6))].join(", ");
}

/** The call of a QSO, with its place if the log has it. */
function searchOf({ call, locator, coordinates = locator }: LogRow): string {
  return isLocator(coordinates) ? `${call}, ${coordinates}` : call;
}

function loggedPathOf({ distanceKm, heading }: LogRow): LoggedPath | undefined {
  const path = { distanceKm: Number.parseFloat(distanceKm), heading: Number.parseFloat(heading) };
  return Number.isNaN(path.distanceKm + path.heading) ? undefined : path;
}

/** That of the device, or of `hamkit serve --from`. */
function readLocator(): string | undefined {
  const served = document.querySelector<HTMLMetaElement>('meta[name="locator"]')?.content;
  return [readKept("locator"), served].find((locator) => locator !== undefined && isLocator(locator));
}

function readPanel(): PanelId | undefined {
  const kept = readKept("panel");
  return isPanelId(kept) ? kept : undefined;
}

/** `mine.adi`, or `3 logs`. */
function logNote(logs: readonly LogFile[] = []): string | undefined {
  return logs.length > 1 ? `${logs.length} logs` : logs[0]?.name;
}

function placeOf(locator: string | undefined): Position | undefined {
  if (locator === undefined) return undefined;
  const [latitude, longitude] = locatorToLatlong(locator);
  return { latitude, longitude };
}

function pointedText(place: Position | undefined, own: string | undefined): string {
  if (place === undefined) return "";
  const locator = latlongToLocator(place.latitude, place.longitude);
  if (own === undefined) return locator;
  const { distanceKm, heading } = pathFacts(own, locator);
  return `${locator}, ${kilometersText(distanceKm)}, ${degreesText(heading)}`;
}
