/** The open card as an entry of the browser's history, so that going back closes it. */
import { useEffect, useRef } from "preact/hooks";

import { readAddress, type PageAddress } from "./address.js";

export interface CardHistory {
  /** Writes the address: a new entry for a card that was opened on the page, otherwise the same entry. */
  readonly show: (isOpen: boolean, address: string) => void;
  /** Goes back to the entry before the card. @returns Whether there is one. */
  readonly goBack: () => boolean;
}

/** The entry of a card, also after a reload. */
interface CardEntry {
  readonly card: true;
}

/** @param onMove The user went to another entry, whose address has to be shown. */
export function useCardHistory(onMove: (address: PageAddress) => void): CardHistory {
  const latest = useRef(onMove);
  latest.current = onMove;
  // A card that the link had is that of the page's first entry.
  const wasOpen = useRef(readAddress(location.hash).search !== "");

  useEffect(() => {
    const listeners = new AbortController();
    addEventListener("popstate", () => latest.current(readAddress(location.hash)), listeners);
    return () => listeners.abort();
  }, []);

  function show(isOpen: boolean, address: string): void {
    if (isOpen && !wasOpen.current && !isCardEntry()) {
      const entry: CardEntry = { card: true };
      history.pushState(entry, "", address);
    } else history.replaceState(history.state, "", address);
    wasOpen.current = isOpen || (wasOpen.current && isFirst.current);
    isFirst.current = false;
  }
  const isFirst = useRef(true);

  return { show, goBack };
}

function goBack(): boolean {
  if (!isCardEntry()) return false;
  history.back();
  return true;
}
function isCardEntry(): boolean {
  return (history.state as Partial<CardEntry> | null)?.card === true;
}
