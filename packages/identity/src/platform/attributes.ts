/** Attributes of resources that only their clients know. They come back as they were sent. */

/** Attributes by name. */
export type Attributes = Readonly<Record<string, unknown>>;

/** What of a body the service itself knows nothing about. */
export function extraOf(body: Attributes, known: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !known.includes(name)));
}

/** Attributes from a column. */
export function parseAttributes(text: string): Attributes {
  return JSON.parse(text) as Attributes;
}
