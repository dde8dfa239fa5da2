/** The panel of live spots: sources, filters, the table, and what can be set. */
import { FilterChips } from "../log/FilterChips.js";
import type { Count } from "../log/log-types.js";
import { AlertForm } from "../needed/AlertForm.js";
import { bandColor } from "./band-colors.js";
import { Check, DirectForm } from "./DirectForm.js";
import type { LiveState } from "./live-state.js";
import type { LiveSpot } from "./live-spot.js";
import { LiveTable } from "./LiveTable.js";
import { SourceList } from "./SourceList.js";
import { isFiltered, ALL_SPOTS, type SpotFilter } from "./spot-filter.js";
import { useLiveState } from "./use-live-state.js";

interface Props {
  readonly live: LiveState;
  readonly own: string | undefined;
  readonly onPick: (spot: LiveSpot) => void;
  /** Opens a log of the server on the page. */
  readonly onLog: (url: string, name: string) => void;
}

export function LivePanel({ live, own, onPick, onLog }: Props) {
  useLiveState(live);
  const { settings, total, server, logs } = live;
  const { filter, alerts, direct } = settings;
  const spots = live.shown();
  const counts = live.counts();
  const change = (changed: Partial<SpotFilter>) =>
    live.change({ filter: { ...live.settings.filter, ...changed } });
  return (
    <section class="live-panel" aria-label="Live spots">
      <header>
        <p class="total" role="status">
          <b>{spots.length.toLocaleString("en")}</b>
          {isFiltered(filter) ? ` of ${total.toLocaleString("en")} spots` : " spots"}
        </p>
        <SourceList live={live} />
        <div class="menus">
          {server === undefined && (
            <details>
              <summary>Sources</summary>
              <DirectForm
                settings={direct}
                own={own}
                onChange={(changed) => live.change({ direct: { ...live.settings.direct, ...changed } })}
              />
            </details>
          )}
          {logs.length > 0 && (
            <details>
              <summary>Logs</summary>
              <ul class="live-form" aria-label="Logs of the server">
                {logs.map(({ name, contacts, problem }, index) => (
                  <li key={name}>
                    <button onClick={() => onLog(`${server ?? ""}logs/${index}`, name)}>Open {name}</button>{" "}
                    <span class={problem === undefined ? "small muted" : "small problem"}>
                      {problem ?? `${contacts.toLocaleString("en")} contacts`}
                    </span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          <details>
            <summary>Alerts{alerts.notification || alerts.sound ? " on" : ""}</summary>
            <AlertForm
              settings={alerts}
              onChange={(changed) => live.change({ alerts: { ...live.settings.alerts, ...changed } })}
            />
          </details>
        </div>
        {total > 0 && (
          <div class="chips">
            <FilterChips
              label="Bands"
              counts={withChosen(counts.bands, filter.bands)}
              chosen={filter.bands}
              colorOf={bandColor}
              onChange={(bands) => change({ bands })}
            />
            <FilterChips
              label="Modes"
              counts={withChosen(counts.modes, filter.modes)}
              chosen={filter.modes}
              onChange={(modes) => change({ modes })}
            />
            <FilterChips
              label="Heard in"
              counts={withChosen(counts.continents, filter.continents)}
              chosen={filter.continents}
              onChange={(continents) => change({ continents })}
            />
            {(live.hasNeeds || filter.isNeeded) && (
              <Check
                text="Needed only"
                isOn={filter.isNeeded}
                onChange={(isNeeded) => change({ isNeeded })}
              />
            )}
            {isFiltered(filter) && (
              <button class="plain" onClick={() => live.change({ filter: ALL_SPOTS })}>
                Show all spots
              </button>
            )}
          </div>
        )}
      </header>
      {total === 0 ? (
        <p class="empty muted">{emptyText(live, own)}</p>
      ) : (
        <LiveTable key={JSON.stringify(filter)} spots={spots} hasNeeds={live.hasNeeds} onPick={onPick} />
      )}
    </section>
  );
}

/** With values that were chosen and that no spot has any more: the user can give them up. */
function withChosen(counts: readonly Count[], chosen: readonly string[]): readonly Count[] {
  const gone = chosen.filter((name) => counts.every((count) => count.name !== name));
  return [...counts, ...gone.map((name) => ({ name, qsos: 0 }))];
}

function emptyText({ server, sources, settings: { direct } }: LiveState, own: string | undefined): string {
  if (server !== undefined)
    return sources.length > 0
      ? "No spots yet."
      : "This server has no sources: start it with --connect, such as hamkit serve --connect rbn,pota --login N0CALL.";
  if (direct.pskReporter && direct.isLocal && own === undefined)
    return "Set your locator, for PSK Reporter's reports of your square.";
  return direct.pota || direct.pskReporter
    ? "No spots yet."
    : "Turn on a source: PSK Reporter and POTA can be asked by the browser. hamkit serve has all of them, with DX clusters and WSJT-X.";
}
