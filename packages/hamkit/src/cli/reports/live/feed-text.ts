/** The text output of `hamkit spots --connect`. */
import type { FeedItem, FeedSpot, SourceState } from "../../../feeds.js";
import { openTextTable, type Column, type OpenTable } from "../../terminal/text-table.js";
import { toPrintable, type Ink } from "../../terminal/terminal.js";
import { clockText, kilohertzText } from "./spot-text.js";

const COLUMNS: readonly (Column<FeedSpot> & { readonly needsDistance?: true })[] = [
  { title: "Time", cell: ({ time }) => clockText(time), usualWidth: 5 },
  { title: "kHz", cell: ({ frequencyKHz }) => kilohertzText(frequencyKHz), align: "right", usualWidth: 9 },
  {
    title: "Mode",
    cell: ({ mode = "", modeAssumed }) => (modeAssumed ? `(${mode})` : mode),
    usualWidth: 6,
    dispensable: 3,
  },
  { title: "DX", cell: ({ dx }) => dx, usualWidth: 10 },
  { title: "Country", cell: ({ dxStation }) => dxStation?.country ?? "unknown", usualWidth: 22 },
  {
    title: "CQ",
    cell: ({ dxStation }) => (dxStation === undefined || dxStation.cqz === 0 ? "" : String(dxStation.cqz)),
    align: "right",
    dispensable: 4,
  },
  {
    title: "km",
    cell: ({ dxStation }) => dxStation?.distanceKm?.toFixed(0) ?? "",
    align: "right",
    usualWidth: 5,
    needsDistance: true,
  },
  {
    title: "Deg",
    cell: ({ dxStation }) =>
      dxStation?.heading === undefined ? "" : String(Math.round(dxStation.heading) % 360),
    align: "right",
    dispensable: 5,
    needsDistance: true,
  },
  { title: "Spotter", cell: spotterText, usualWidth: 10 },
  { title: "Source", cell: ({ source }) => source, usualWidth: 12, dispensable: 1 },
  { title: "Comment", cell: commentText, dispensable: 2 },
];

/** @param width Of the terminal; columns that don't fit are left out. */
export function feedTable(
  hasDistance: boolean,
  { ink, width }: { readonly ink: Ink; readonly width: number | undefined },
): OpenTable<FeedSpot> {
  return openTextTable(
    COLUMNS.filter(({ needsDistance }) => hasDistance || !needsDistance),
    { ink, width },
  );
}

function spotterText({ spotter = "", skimmer }: FeedSpot): string {
  return skimmer && spotter !== "" ? `${spotter}-#` : spotter;
}

/** References of activators, and the report where the comment has none. */
function commentText({ comment, references = [], snrDb }: FeedSpot): string {
  const added = references.filter((reference) => !comment.includes(reference.replace(/^\S+ /, "")));
  const report = comment === "" && snrDb !== undefined ? [`${snrDb} dB`] : [];
  return [...added, ...report, comment].filter((part) => part !== "").join("  ");
}

/** A report of solar activity, an announcement or a message; `undefined` for what is not shown. */
export function itemText(item: FeedItem): string | undefined {
  switch (item.kind) {
    case "wwv":
      return toPrintable(
        `${clockText(item.at)}  WWV by ${item.from}: solar flux ${item.sfi}, A ${item.a}, K ${item.k}, ${item.text}`,
      );
    case "wcy":
      return toPrintable(
        `${clockText(item.at)}  WCY by ${item.from}: solar flux ${item.sfi}, A ${item.a}, K ${item.k} (expected ${item.expK}), ` +
          `sunspots ${item.r}, sun ${item.sa}, field ${item.gmf}, aurora ${item.aurora}`,
      );
    case "announcement":
    case "talk":
      return toPrintable(`To ${item.to} de ${item.from}: ${item.text}`);
    default:
      return undefined;
  }
}

/** Why a source is not connected. */
export function failureText(state: Extract<SourceState, { readonly error: unknown }>): string {
  const reason = messageOf(state.error);
  return state.state === "failed"
    ? reason
    : `${reason}; next attempt in ${Math.ceil(state.delayMs / 1000)} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
