import { FilterChips } from "./FilterChips.js";
import { LogSummary } from "./LogSummary.js";
import { LogTable, type ReadRows } from "./LogTable.js";
import type { LogFilter, LogOverview, LogRow, ShownLog } from "./open-log.js";

/** A log that is open, and what a filter shows of it. */
export interface LogOnPage {
  readonly overview: LogOverview;
  readonly shown: ShownLog;
  readonly filter: LogFilter;
  readonly read: ReadRows;
}

interface Props {
  readonly log: LogOnPage;
  readonly onFilter: (filter: LogFilter) => void;
  readonly onCall: (row: LogRow) => void;
  readonly onSave: (format: "adi" | "csv") => void;
  readonly onClose: () => void;
}

export const NO_FILTER: LogFilter = { bands: [], modes: [] };

export function LogPanel({
  log: { overview, shown, filter, read },
  onFilter,
  onCall,
  onSave,
  onClose,
}: Props) {
  const isFiltered = filter.bands.length + filter.modes.length > 0;
  const total = overview.qsos.toLocaleString("en");
  return (
    <section class="log-panel" aria-label="Log">
      <header>
        <h2>{overview.name}</h2>
        <p class="muted" role="status">
          {isFiltered ? `${shown.qsos.toLocaleString("en")} of ${total} QSOs` : `${total} QSOs`}
        </p>
        <div class="tools">
          <button onClick={() => onSave("adi")}>Save ADIF</button>
          <button onClick={() => onSave("csv")}>Save CSV</button>
          <button onClick={onClose}>Close log</button>
        </div>
        <div class="chips">
          <FilterChips
            label="Bands"
            counts={overview.bands}
            chosen={filter.bands}
            onChange={(bands) => onFilter({ ...filter, bands })}
          />
          <FilterChips
            label="Modes"
            counts={overview.modes}
            chosen={filter.modes}
            onChange={(modes) => onFilter({ ...filter, modes })}
          />
          {isFiltered && (
            <button class="plain" onClick={() => onFilter(NO_FILTER)}>
              Show all QSOs
            </button>
          )}
        </div>
      </header>
      <div class="body" style={{ "--rows": shown.qsos }}>
        <LogTable count={shown.qsos} read={read} onCall={onCall} />
        <LogSummary overview={overview} shown={shown} />
      </div>
    </section>
  );
}
