import { useState } from "preact/hooks";

import type { Count, LogOverview, ShownLog } from "./log-types.js";

interface Props {
  readonly overview: LogOverview;
  readonly shown: ShownLog;
}

/** Items of a list before the others are asked for. */
const SHORT = 12;

export function LogSummary({ overview, shown }: Props) {
  return (
    // Focusable, so that keys scroll it.
    <div class="log-summary" role="region" aria-label="Summary of the log" tabIndex={0}>
      <Counts title="Entities" counts={shown.entities} />
      <Counts title="CQ zones" counts={shown.cqZones} isCompact />
      <Counts title="Bands" counts={shown.bands} isCompact />
      <Unread overview={overview} />
    </div>
  );
}

/** @param isCompact For names of few characters: several in a row. */
function Counts({
  title,
  counts,
  isCompact = false,
}: {
  title: string;
  counts: readonly Count[];
  isCompact?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const listed = isCompact || isWhole ? counts : counts.slice(0, SHORT);
  return (
    <section aria-label={title}>
      <h3>
        {title}: {counts.length}
      </h3>
      <ul class={isCompact ? "compact" : undefined}>
        {listed.map(({ name, qsos }) => (
          <li key={name}>
            <span>{name}</span> <span class="muted">{qsos.toLocaleString("en")}</span>
          </li>
        ))}
      </ul>
      {listed.length < counts.length && (
        <button class="plain" onClick={() => setWhole(true)}>
          Show all {counts.length}
        </button>
      )}
    </section>
  );
}

function Unread({ overview: { unread, unreadCount } }: { readonly overview: LogOverview }) {
  const [isWhole, setWhole] = useState(false);
  const listed = isWhole ? unread : unread.slice(0, SHORT);
  return (
    <section aria-label="Not read">
      <h3>Not read: {unreadCount.toLocaleString("en")}</h3>
      {unreadCount === 0 && <p class="small">Every line was read, and every station identified.</p>}
      <ul class="unread">
        {listed.map(({ line, message }, index) => (
          <li key={index}>
            <span class="muted">Line {line}</span> {message}
          </li>
        ))}
      </ul>
      {listed.length < unread.length && (
        <button class="plain" onClick={() => setWhole(true)}>
          Show {unread.length < unreadCount ? "the first " : "all "}
          {unread.length.toLocaleString("en")}
        </button>
      )}
    </section>
  );
}
