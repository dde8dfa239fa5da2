/** Converts lines of DXSpider's helper for the Reverse Beacon Network: `SPOT,AA4VV-#,14031.0,TF3Y,CW,16,dB,22,WPM,CQ,2152Z`. */

/** The same as a `DX de` line; `undefined` for any other line. */
export function rbnStreamToDxLine(line: string): string | undefined {
  const fields = line.trim().split(",", 16);
  const [start, spotter = "", kilohertz = "", dx = "", ...rest] = fields;
  const time = rest.pop();
  if (start !== "SPOT" || time === undefined || rest.length < 3) return undefined;
  // No field has a blank, so no field can become two.
  if (fields.some((field) => /\s/.test(field.replace("NCDXF B", "")))) return undefined;
  return `DX de ${spotter}: ${kilohertz} ${dx} ${rest.join(" ")} ${time}`;
}
