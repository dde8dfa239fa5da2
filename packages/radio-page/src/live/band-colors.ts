/** The colors of bands on the map and in the filter; seen on both a light and a dark map. */
const COLORS: Readonly<Record<string, string>> = {
  "2190m": "#6d4c41",
  "630m": "#8d6e63",
  "160m": "#a0522d",
  "80m": "#8e5bc4",
  "60m": "#8a8f98",
  "40m": "#2f7ed8",
  "30m": "#12a0a8",
  "20m": "#e58a00",
  "17m": "#a8a500",
  "15m": "#d9363e",
  "12m": "#e06bb0",
  "10m": "#b0246b",
  "6m": "#2e9e4f",
  "4m": "#5fb878",
  "2m": "#00796b",
  "70cm": "#4a6fa5",
  "23cm": "#5c6bc0",
};
const OTHER = "#78879a";

/** In ascending order of frequency. */
export const BANDS: readonly string[] = Object.keys(COLORS);

export function bandColor(band: string): string {
  return COLORS[band] ?? OTHER;
}
