/** Debian's Prometheus with the alerts of deploy/prometheus. It looks often, and does not wait until an alert has lasted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePort } from "../free-port.js";

export const RULES = fileURLToPath(
  new URL("../../../../deploy/prometheus/identity-alerts.yml", import.meta.url),
);

export interface Prometheus {
  /** The alerts that fire, in their order, each with its provider if it has one. */
  firing(): Promise<string[]>;
  end(): Promise<unknown>;
}

export interface PrometheusOptions {
  /** Between two looks, and at most for one. */
  readonly seconds?: number;
  /** Changes the rules, such as an age that a test can't wait for. */
  readonly edit?: (rules: string) => string;
}

/**
 * @param folder For its files.
 * @param urls The services that it watches.
 */
export async function startPrometheus(
  folder: string,
  urls: readonly string[],
  { seconds = 1, edit = (rules) => rules }: PrometheusOptions = {},
): Promise<Prometheus> {
  const port = await freePort();
  const rules = join(folder, "rules.yml");
  await writeFile(rules, edit((await readFile(RULES, "utf8")).replaceAll(/^ +for: .*\n/gm, "")));
  const config = join(folder, "prometheus.yml");
  const targets = JSON.stringify(urls.map((url) => new URL(url).host));
  await writeFile(
    config,
    `global: { scrape_interval: ${seconds}s, scrape_timeout: ${seconds}s, evaluation_interval: 1s }
rule_files: [${rules}]
scrape_configs: [{ job_name: identity, static_configs: [{ targets: ${targets} }] }]
`,
  );
  const child = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  return {
    async firing() {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`);
        const { data } = (await answer.json()) as {
          data: { alerts: { state: string; labels: { alertname: string; provider?: string } }[] };
        };
        return data.alerts
          .filter(({ state }) => state === "firing")
          .map(({ labels: { alertname, provider } }) =>
            provider === undefined ? alertname : `${alertname} ${provider}`,
          )
          .toSorted();
      } catch {
        return ["Prometheus does not answer"];
      }
    },
    end: () => (child.kill("SIGTERM"), ended),
  };
}
