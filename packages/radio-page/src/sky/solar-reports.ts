/** The latest reports of solar activity, from the lines of a DX cluster. */
import type { WcyItem, WwvItem } from "hamkit/feeds";

export type SolarReport =
  | Pick<WwvItem, "kind" | "at" | "from" | "sfi" | "a" | "k" | "text">
  | Pick<WcyItem, "kind" | "at" | "from" | "sfi" | "a" | "k" | "expK" | "r" | "sa" | "gmf" | "aurora">;

/** The latest report of each station. */
export interface SolarReports {
  readonly wwv?: Extract<SolarReport, { kind: "wwv" }> | undefined;
  readonly wcy?: Extract<SolarReport, { kind: "wcy" }> | undefined;
}

/** The reports with another one; an older one changes nothing. */
export function withReport(reports: SolarReports, report: SolarReport): SolarReports {
  const known = reports[report.kind];
  return known !== undefined && known.at > report.at ? reports : { ...reports, [report.kind]: report };
}
