/** The parts of a package as CycloneDX (JSON), by `npm sbom`, the same for the same lock file. */
import { run } from "../prepare.mjs";

/**
 * @param workspaces Names of packages, such as `@hamkit/identity`; the first one is what the document describes. Packages for
 *   development are left out.
 * @param options.folder A checkout with installed packages.
 * @param options.date Written as the document's time, which npm would set to now.
 * @param options.components Further parts, such as the runtime of an image.
 * @throws {Error} npm fails.
 */
export function partsList(workspaces, { folder, date, components = [] }) {
  const [described] = workspaces;
  const args = workspaces.map((name) => `--workspace=${name}`);
  const { status, stdout, stderr } = run(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--omit=dev", `--prefix=${folder}`, ...args],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  if (status !== 0) throw new Error(`npm sbom of ${workspaces.join(", ")}: ${stderr}`);
  // A number of its own for each document; and npm describes the checkout, by the name of its folder.
  const { serialNumber: _, ...document } = JSON.parse(stdout);
  const parts = [...document.components, ...components];
  const component = parts.find(({ purl }) =>
    purl.startsWith(`pkg:npm/${encodeURIComponent(described).replace("%2F", "/")}@`),
  );
  const metadata = { ...document.metadata, timestamp: date.toISOString(), component };
  return `${JSON.stringify({ ...document, metadata, components: parts.filter((each) => each !== component) }, undefined, 2)}\n`;
}
