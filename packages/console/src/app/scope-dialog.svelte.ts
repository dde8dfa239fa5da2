/** Whether the scope switcher's dialog is open: pages that need another scope open it, too. */

let isOpen = $state(false);

export const scopeDialog = {
  get isOpen(): boolean {
    return isOpen;
  },
  open(): void {
    isOpen = true;
  },
  close(): void {
    isOpen = false;
  },
};
