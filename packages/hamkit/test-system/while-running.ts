/** Looks at something again and again while something else goes on; gives all that was seen, each once, sorted. */
export async function whileRunning(
  run: () => Promise<void>,
  look: () => Promise<readonly string[]>,
): Promise<string[]> {
  const seen = new Set<string>();
  const state = { isRunning: true };
  const running = run().finally(() => {
    state.isRunning = false;
  });
  while (state.isRunning) for (const one of await look()) seen.add(one);
  await running;
  return Array.from(seen).sort((one, other) => (one < other ? -1 : 1));
}
