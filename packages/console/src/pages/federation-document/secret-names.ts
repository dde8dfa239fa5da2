/** The secrets that a federation document refers to by `{ env: NAME }`, in their order. */
export function secretNamesIn(text: string): readonly string[] {
  const found = text.matchAll(/^[^#\n]*?\benv["']?:\s*["']?([A-Za-z_]\w*)/gm);
  return [...new Set(Array.from(found, ([, name = ""]) => name))];
}
