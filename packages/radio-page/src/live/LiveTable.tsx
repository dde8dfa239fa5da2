/** A table of spots, the newest first, of which only the visible rows exist. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { NeededList } from "../needed/NeededList.js";
import { bandColor } from "./band-colors.js";
import type { LiveSpot } from "./live-spot.js";

interface Props {
  readonly spots: readonly LiveSpot[];
  readonly hasNeeds: boolean;
  readonly onPick: (spot: LiveSpot) => void;
}

/** The height of a row in pixels, as in the style sheet. */
const ROW = 32;
/** Rows above and below those that are visible. */
const MORE = 10;

export function LiveTable({ spots, hasNeeds, onPick }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 3 * MORE });
  // Rows stay under the eyes and fingers of the user: new ones wait while the table is scrolled, or has the focus.
  const [heldId, setHeldId] = useState<number>();
  const news = heldId === undefined ? 0 : newerThan(spots, heldId);
  const shown = news === 0 ? spots : spots.slice(news);

  function measure(): void {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {};
    const from = Math.max(0, Math.floor(scrollTop / ROW) - MORE);
    const to = Math.ceil((scrollTop + clientHeight) / ROW) + MORE;
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    hold();
  }
  function hold(): void {
    const { scrollTop = 0 } = scroller.current ?? {};
    const isWatched = scrollTop > 0 || scroller.current?.contains(document.activeElement) === true;
    setHeldId((before) => (isWatched ? (before ?? spots[0]?.id ?? 0) : undefined));
  }
  function release(): void {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    setHeldId(undefined);
  }
  useLayoutEffect(measure, []);

  const from = Math.min(range.from, shown.length);
  const rows = shown.slice(from, range.to);
  const after = Math.max(0, shown.length - from - rows.length);
  return (
    <div class="live-table">
      {news > 0 && (
        <button class="news primary" onClick={release}>
          {news === 1 ? "1 new spot" : `${news.toLocaleString("en")} new spots`}
        </button>
      )}
      <div
        class="scroller"
        role="region"
        aria-label="Spots"
        tabIndex={0} // so that keys scroll it
        ref={scroller}
        onScroll={measure}
        onFocusCapture={hold}
        onBlurCapture={() => setTimeout(hold)}
      >
        <table aria-rowcount={shown.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">UTC</th>
              <th scope="col">Call</th>
              <th scope="col" class="number">
                kHz
              </th>
              <th scope="col">Mode</th>
              <th scope="col">Country</th>
              {hasNeeds && <th scope="col">Needed</th>}
              <th scope="col">Spotter</th>
              <th scope="col" class="number">
                dB
              </th>
              <th scope="col">Comment</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            <tr aria-hidden="true" style={{ height: `${from * ROW}px` }} />
            {rows.map((spot, index) => (
              <Row key={spot.id} spot={spot} index={from + index + 2} hasNeeds={hasNeeds} onPick={onPick} />
            ))}
            <tr aria-hidden="true" style={{ height: `${after * ROW}px` }} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface RowProps {
  readonly spot: LiveSpot;
  readonly index: number;
  readonly hasNeeds: boolean;
  readonly onPick: (spot: LiveSpot) => void;
}

function Row({ spot, index, hasNeeds, onPick }: RowProps) {
  return (
    <tr aria-rowindex={index}>
      <td>{new Date(spot.time).toISOString().slice(11, 16)}</td>
      <td>
        <button class="plain" onClick={() => onPick(spot)}>
          {spot.dx}
        </button>
      </td>
      <td class="number">
        <span class="band-dot" style={{ background: bandColor(spot.band) }} title={spot.band} />
        {spot.frequencyKHz.toFixed(1)}
      </td>
      <td>{spot.mode}</td>
      <td>{spot.country}</td>
      {hasNeeds && (
        <td>
          <NeededList needed={spot.needed ?? []} />
        </td>
      )}
      <td>{spot.spotter}</td>
      <td class="number">{spot.snrDb}</td>
      <td>{spot.comment}</td>
      <td class="muted">{spot.source}</td>
    </tr>
  );
}

/** The number of spots that came after one, in an order from the newest to the oldest. */
function newerThan(spots: readonly LiveSpot[], heldId: number): number {
  const found = spots.findIndex(({ id }) => id <= heldId);
  return found < 0 ? spots.length : found;
}
