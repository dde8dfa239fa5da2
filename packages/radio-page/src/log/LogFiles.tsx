import type { LogFilter, LogOverview } from "./log-types.js";

interface Props {
  readonly overview: LogOverview;
  readonly filter: LogFilter;
  readonly onFilter: (filter: LogFilter) => void;
  readonly onClose: (id: string) => void;
}

/** The logs that are open: each can be closed, and of several each can be shown alone. */
export function LogFiles({ overview: { logs }, filter, onFilter, onClose }: Props) {
  return (
    <ul class="log-files" aria-label="Logs">
      {logs.map(({ id, name, qsos }) => {
        const isChosen = filter.logs.includes(id);
        const others = filter.logs.filter((other) => other !== id);
        return (
          <li key={id}>
            <h2>{name}</h2>
            {logs.length > 1 && (
              <button
                aria-pressed={isChosen}
                aria-label={`Only ${name}`}
                onClick={() => onFilter({ ...filter, logs: isChosen ? others : [...filter.logs, id] })}
              >
                {qsos.toLocaleString("en")}
              </button>
            )}
            <button
              aria-label={`Close ${name}`}
              title="Close, and delete from this device"
              onClick={() => onClose(id)}
            >
              ✕
            </button>
          </li>
        );
      })}
    </ul>
  );
}
