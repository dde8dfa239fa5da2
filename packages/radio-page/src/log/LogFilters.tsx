import { FilterChips } from "./FilterChips.js";
import {
  CONFIRMATIONS,
  NO_FILTER,
  type ConfirmationFilter,
  type LogFilter,
  type LogOverview,
} from "./log-types.js";

interface Props {
  readonly overview: LogOverview;
  readonly filter: LogFilter;
  readonly isFiltered: boolean;
  readonly onFilter: (filter: LogFilter) => void;
}

const CONFIRMATION_TEXTS: Readonly<Record<ConfirmationFilter, string>> = {
  any: "All QSOs",
  confirmed: "Confirmed",
  unconfirmed: "Not confirmed",
  card: "By card",
  lotw: "By LoTW",
  eqsl: "By eQSL",
};

export function LogFilters({ overview, filter, isFiltered, onFilter }: Props) {
  const change = (part: Partial<LogFilter>) => onFilter({ ...filter, ...part });
  return (
    <div class="log-filters">
      <div class="fields" role="search" aria-label="Search the log">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Call, country, name …"
          maxLength={60}
          autocomplete="off"
          spellcheck={false}
          value={filter.text}
          onInput={({ currentTarget: { value } }) => change({ text: value })}
        />
        <label>
          <span class="small muted">From</span>
          <DayField label="From day" day={filter.from} onDay={(from) => change({ from })} />
        </label>
        <label>
          <span class="small muted">Until</span>
          <DayField label="Until day" day={filter.until} onDay={(until) => change({ until })} />
        </label>
        <select
          aria-label="Confirmation"
          value={filter.confirmation}
          onChange={({ currentTarget: { value } }) => {
            const confirmation = CONFIRMATIONS.find((each) => each === value);
            if (confirmation !== undefined) change({ confirmation });
          }}
        >
          {CONFIRMATIONS.map((each) => (
            <option key={each} value={each}>
              {CONFIRMATION_TEXTS[each]}
            </option>
          ))}
        </select>
        {isFiltered && (
          <button class="plain" onClick={() => onFilter(NO_FILTER)}>
            Show all QSOs
          </button>
        )}
      </div>
      <FilterChips
        label="Bands"
        counts={overview.bands}
        chosen={filter.bands}
        onChange={(bands) => change({ bands })}
      />
      <FilterChips
        label="Modes"
        counts={overview.modes}
        chosen={filter.modes}
        onChange={(modes) => change({ modes })}
      />
    </div>
  );
}

/** Days are those of UTC, as in the log: the browser's own field for dates. */
function DayField({ label, day, onDay }: { label: string; day: string; onDay: (day: string) => void }) {
  return (
    <input
      type="date"
      aria-label={label}
      value={day}
      onInput={({ currentTarget: { value } }) => onDay(value)}
    />
  );
}
