/** Certificates for tests, made by openssl. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The paths of a certificate that signed itself, and of its key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @param options.name The common name, and that of the files. */
export function makeCertificate({
  folder,
  name,
}: {
  readonly folder: string;
  readonly name: string;
}): Certificate {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1";
  const args = `req -x509 ${curve} -nodes -days 30 -subj /CN=${name} -keyout ${key} -out ${cert}`;
  const { status, stderr } = spawnSync("openssl", args.split(" "), { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { cert, key };
}
