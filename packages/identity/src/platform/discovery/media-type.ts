/** Content negotiation of the home document. */

/** Whether a client prefers the home document to plain JSON. @param accept The header. */
export function prefersHome(accept: string | undefined): boolean {
  return (
    accept !== undefined && quality(accept, "application/json-home") > quality(accept, "application/json")
  );
}

/** The quality, 0 to 1, of the most specific range that covers the type. */
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
