/** The state of each source, and when one that is not connected is asked again. */
import { useEffect, useState } from "preact/hooks";

import type { LiveState } from "./live-state.js";
import type { SourceView } from "./live-spot.js";

export function SourceList({ live }: { readonly live: LiveState }) {
  const { connection, sources, missed } = live;
  const isWaiting = [connection, ...sources].some((source) => source?.state === "waiting");
  const now = useSeconds(isWaiting);
  const isLost = connection !== undefined && connection.state !== "connected";
  return (
    <div class="sources">
      {/* Announced when it changes, but not each second of a countdown. */}
      <p role="status" class={isLost ? "problem" : "hidden"}>
        {isLost ? connectionText(connection) : ""}
      </p>
      {isLost && connection.state === "waiting" && (
        <span class="muted" aria-hidden="true">
          next attempt in {secondsUntil(connection.retryAt, now)} s
        </span>
      )}
      <ul aria-label="Sources">
        {sources.map((source) => (
          <li key={source.source} class={isLost ? "waiting" : source.state} title={source.problem}>
            <b>{source.source}</b> <span class="muted">{isLost ? "unknown" : stateText(source, now)}</span>
          </li>
        ))}
      </ul>
      {missed > 0 && (
        <p class="small muted">{missed.toLocaleString("en")} spots were missed while not connected</p>
      )}
    </div>
  );
}

function connectionText({ state, problem }: SourceView): string {
  if (state === "connecting") return "Connecting to the server …";
  return `Reconnecting to the server: ${problem ?? "no connection"}`;
}

/** `connected, last spot 12:03`, `reconnecting in 20 s` */
export function stateText({ state, retryAt, lastSpotAt, problem }: SourceView, now: number): string {
  const last =
    lastSpotAt === undefined ? "" : `, last spot ${new Date(lastSpotAt).toISOString().slice(11, 16)}`;
  if (state === "waiting") return `reconnecting in ${secondsUntil(retryAt, now)} s${last}`;
  if (state === "failed") return `failed: ${problem ?? "unknown"}`;
  if (state === "connecting") return "connecting …";
  return state === "ended" ? `ended${last}` : `connected${last === "" ? ", no spots yet" : last}`;
}

function secondsUntil(moment: number | undefined, now: number): number {
  return Math.max(0, Math.ceil(((moment ?? now) - now) / 1000));
}

/** The current time, each second while it is needed. */
function useSeconds(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isNeeded) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return isNeeded ? now : Date.now();
}
