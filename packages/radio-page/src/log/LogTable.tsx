import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useWide } from "../use-wide.js";
import { degreesText, wholeText } from "../station/card-text.js";
import type { LogRow, LogSort } from "./log-types.js";

/** Reads rows from an index to another, which is not included. */
export type ReadRows = (from: number, to: number) => Promise<readonly LogRow[]>;

interface Props {
  /** Number of rows. */
  readonly count: number;
  /** Another function means other rows. */
  readonly read: ReadRows;
  readonly sort: LogSort;
  readonly onSort: (sort: LogSort) => void;
  readonly onCall: (row: LogRow) => void;
}

/** The height of a row in pixels, as in the style sheet; on a phone it is a target for a finger. */
const ROW = { wide: 32, narrow: 40 };
/** Rows above and below those that are visible. */
const MORE = 20;

interface Column {
  readonly name: string;
  readonly key: keyof LogRow;
  readonly isNumber?: true;
}

const COLUMNS = [
  { name: "Time (UTC)", key: "time" },
  { name: "Call", key: "call" },
  { name: "Band", key: "band" },
  { name: "Mode", key: "mode" },
  { name: "Country", key: "country" },
  { name: "CQ", key: "cqz", isNumber: true },
  { name: "ITU", key: "ituz", isNumber: true },
  { name: "Locator", key: "locator" },
  { name: "km", key: "distanceKm", isNumber: true },
  { name: "Heading", key: "heading", isNumber: true },
  { name: "Confirmed", key: "confirmed" },
] as const satisfies readonly Column[];

/** A table of which only the visible rows exist. */
export function LogTable({ count, read, sort, onSort, onCall }: Props) {
  const height = useWide() ? ROW.wide : ROW.narrow;
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 2 * MORE });
  const [rows, setRows] = useState<{ readonly from: number; readonly list: readonly LogRow[] }>({
    from: 0,
    list: [],
  });

  function measure(): void {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {};
    const from = Math.max(0, Math.floor(scrollTop / height) - MORE);
    const to = Math.min(count, Math.ceil((scrollTop + clientHeight) / height) + MORE);
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
  }

  // Other rows begin at the top.
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    measure();
  }, [read, height]);

  useEffect(() => {
    let isLatest = true;
    const { from, to } = range;
    void load();
    async function load(): Promise<void> {
      const list = await read(from, to);
      if (isLatest) setRows({ from, list });
    }
    return () => (isLatest = false);
  }, [read, range]);

  const after = Math.max(0, count - rows.from - rows.list.length);
  return (
    <div
      class="log-table"
      role="region"
      aria-label="QSOs"
      tabIndex={0} // so that keys scroll it
      ref={scroller}
      onScroll={measure}
    >
      <table aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th
                key={column.key}
                scope="col"
                class={classOf(column)}
                aria-sort={
                  sort.column !== column.key ? undefined : sort.isDescending ? "descending" : "ascending"
                }
              >
                <button class="plain" onClick={() => onSort(sortBy(sort, column.key))}>
                  {column.name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr aria-hidden="true" style={{ height: `${rows.from * height}px` }} />
          {rows.list.map((row, index) => (
            <tr key={rows.from + index} aria-rowindex={rows.from + index + 2}>
              {COLUMNS.map((column) => (
                <td key={column.key} class={classOf(column)}>
                  {column.key === "call" && row.call !== "" ? (
                    <button class="plain" onClick={() => onCall(row)}>
                      {row.call}
                    </button>
                  ) : (
                    cellText(row, column.key)
                  )}
                </td>
              ))}
            </tr>
          ))}
          <tr aria-hidden="true" style={{ height: `${after * height}px` }} />
        </tbody>
      </table>
    </div>
  );
}

/** The other direction of the same column; times begin with the newest, other columns with the first. */
function sortBy(sort: LogSort, column: keyof LogRow): LogSort {
  const isDescending = sort.column === column ? !sort.isDescending : column === "time";
  return { column, isDescending };
}

/** Distance and heading as on the card. */
function cellText(row: LogRow, key: Column["key"]): LogRow[Column["key"]] {
  if (key === "distanceKm" && isNumber(row.distanceKm)) return wholeText(Number(row.distanceKm));
  return key === "heading" && isNumber(row.heading) ? degreesText(Number(row.heading)) : row[key];
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d*)?$/.test(text);
}

function classOf(column: Column): string | undefined {
  return column.isNumber === true ? "number" : undefined;
}
