/** Whether a client wants the home document. */

/** @param accept The header; `undefined` where there is none. Plain JSON wins where the client likes both the same. */
export function prefersHome(accept: string | undefined): boolean {
  return (
    accept !== undefined && quality(accept, "application/json-home") > quality(accept, "application/json")
  );
}

/** What the most exact range that covers the type says: 0 to 1. */
function quality(accept: string, type: string): number {
  let best = { exactness: -1, quality: 0 };
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const exactness = ["*/*", "application/*", type].indexOf(name);
    if (exactness > best.exactness) best = { exactness, quality: qualityIn(parameters) };
  }
  return best.quality;
}

function qualityIn(parameters: readonly string[]): number {
  const value = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
  return value >= 0 && value <= 1 ? value : 0;
}
