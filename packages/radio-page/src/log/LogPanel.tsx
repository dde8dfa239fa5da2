import { useState } from "preact/hooks";

import "./log-panel.css";
import "./log-summary.css";
import "./log-table.css";
import { AwardsView } from "./AwardsView.js";
import { LogFiles } from "./LogFiles.js";
import { LogFilters } from "./LogFilters.js";
import { LogSummary } from "./LogSummary.js";
import { LogTable } from "./LogTable.js";
import { NO_FILTER, type LogFilter, type LogRow } from "./log-types.js";
import type { LogDesk, LogOnPage } from "./use-log.js";

interface Props {
  readonly log: LogOnPage;
  readonly desk: Pick<LogDesk, "awards" | "missing">;
  readonly onFilter: (filter: LogFilter) => void;
  readonly onSort: (sort: LogOnPage["sort"]) => void;
  readonly onCall: (row: LogRow) => void;
  readonly onSave: (format: "adi" | "csv") => void;
  readonly onClose: (id: string) => void;
}

export function LogPanel({ log, desk, onFilter, onSort, onCall, onSave, onClose }: Props) {
  const [hasAwards, setAwards] = useState(false);
  const { overview, shown, filter, sort, read } = log;
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  const total = overview.qsos.toLocaleString("en");
  return (
    <section class="log-panel" aria-label="Log">
      <header>
        <LogFiles overview={overview} filter={filter} onFilter={onFilter} onClose={onClose} />
        <p class="muted" role="status">
          {isFiltered ? `${shown.qsos.toLocaleString("en")} of ${total} QSOs` : `${total} QSOs`}
        </p>
        <div class="tools">
          <div class="group" role="group" aria-label="View of the log">
            <button aria-pressed={!hasAwards} onClick={() => setAwards(false)}>
              Contacts
            </button>
            <button aria-pressed={hasAwards} onClick={() => setAwards(true)}>
              Awards
            </button>
          </div>
          <button onClick={() => onSave("adi")}>Save ADIF</button>
          <button onClick={() => onSave("csv")}>Save CSV</button>
        </div>
        <LogFilters overview={overview} filter={filter} isFiltered={isFiltered} onFilter={onFilter} />
      </header>
      <div class="body" style={{ "--rows": shown.qsos }}>
        {hasAwards ? (
          <AwardsView shown={shown} desk={desk} />
        ) : (
          <LogTable count={shown.qsos} read={read} sort={sort} onSort={onSort} onCall={onCall} />
        )}
        <LogSummary overview={overview} shown={shown} />
      </div>
    </section>
  );
}
