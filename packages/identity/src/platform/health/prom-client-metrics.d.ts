/** The parts of prom-client's default metrics, of which its types have only the whole. */
declare module "prom-client/lib/metrics/*.js" {
  import type { DefaultMetricsCollectorConfiguration, Registry, RegistryContentType } from "prom-client";

  export default function add(
    registry: Registry,
    options: Omit<DefaultMetricsCollectorConfiguration<RegistryContentType>, "register">,
  ): void;
}
