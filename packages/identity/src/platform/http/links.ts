/** Public URLs of this service. */

export interface Links {
  /** The public URL of the service, without a slash at the end. */
  readonly publicUrl: string;
  /** @param path From the root, already escaped, such as the URL of a request. */
  to(path: string): string;
  /** `self("/v3/regions", "a/b")` is `https://.../v3/regions/a%2Fb`. */
  self(collection: string, ...ids: readonly string[]): string;
}

/** @param publicUrl Without a slash at the end. */
export function createLinks(publicUrl: string): Links {
  return {
    publicUrl,
    to: (path) => publicUrl + path,
    self: (collection, ...ids) => [publicUrl + collection, ...ids.map(escapePart)].join("/"),
  };
}

/**
 * Escapes only characters that a part of a path can't contain. A semicolon is escaped although paths allow it: it would end the
 * `Path` of a cookie.
 */
function escapePart(id: string): string {
  // Nearly all ids; long lists have thousands.
  if (/^[\w-]*$/.test(id)) return id;
  return encodeURIComponent(id).replaceAll(/%(?:3A|40|24|26|2B|2C|3D)/g, decodeURIComponent);
}
