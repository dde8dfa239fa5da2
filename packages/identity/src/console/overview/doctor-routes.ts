/** `/console/api/doctor`: the checks of `hamkit-identity doctor`, by this process and its settings. */
import type { Platform } from "../../area.js";
import { formatTimestamp } from "../../platform/clock.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { CONSOLE_API_PATH } from "../console-address.js";

/** A line of the doctor. */
export interface DoctorFinding {
  readonly state: "ok" | "warning" | "failure";
  /** The checked item, in a word or two. */
  readonly subject: string;
  /** With a remedy, unless ok. */
  readonly text: string;
}

export type Examine = () => AsyncIterable<DoctorFinding>;

export interface DoctorRoutesDeps extends Pick<Platform, "clock"> {
  readonly examine: Examine | undefined;
}

export function addDoctorRoutes(server: HttpServer, { clock, examine }: DoctorRoutesDeps): void {
  if (examine === undefined) return;
  /** For all who ask while it runs. */
  let running: Promise<readonly DoctorFinding[]> | undefined;
  // By POST: it sends requests to providers.
  server.post(`${CONSOLE_API_PATH}/doctor`, { config: { access: "identity:get_overview" } }, async () => {
    running ??= collect(examine()).finally(() => (running = undefined));
    const findings = await running;
    return { checked_at: formatTimestamp(clock.now()), findings };
  });
}

async function collect(lines: AsyncIterable<DoctorFinding>): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for await (const line of lines) findings.push(line);
  return findings;
}
