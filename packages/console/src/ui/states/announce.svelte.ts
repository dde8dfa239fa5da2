/** What a screen reader hears of saves and results: one live region, in the shell (Announcer.svelte). */

let text = $state("");

export const announcement = {
  get text(): string {
    return text;
  },
};

/** Says something once. The same words again are said again. */
export function announce(words: string): void {
  // A live region is read when its text changes.
  text = words === text ? `${words}\u00A0` : words;
}
