/** The parts of a package as CycloneDX (JSON), by `npm sbom`, the same for the same lock file. */
import { run } from "../prepare.mjs";

/**
 * @param workspace The name of the package, such as `@hamkit/identity`. Packages for development are left out.
 * @param options.folder A checkout with installed packages.
 * @param options.date Written as the document's time, which npm would set to now.
 * @param options.components Further parts, such as the runtime of an image.
 * @throws {Error} npm fails.
 */
export function partsList(workspace, { folder, date, components = [] }) {
  const args = [
    "sbom",
    "--sbom-format=cyclonedx",
    "--omit=dev",
    `--workspace=${workspace}`,
    `--prefix=${folder}`,
  ];
  const { status, stdout, stderr } = run("npm", args, { stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(`npm sbom of ${workspace}: ${stderr}`);
  // A number of its own for each document.
  const { serialNumber: _, ...document } = JSON.parse(stdout);
  const all = [...document.components, ...components];
  const metadata = { ...document.metadata, timestamp: date.toISOString() };
  return `${JSON.stringify({ ...document, metadata, components: all }, undefined, 2)}\n`;
}
