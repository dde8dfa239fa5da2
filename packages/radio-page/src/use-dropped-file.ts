import { useEffect, useRef, useState } from "preact/hooks";

/** Whether something is being dragged over the page. A file that is dropped anywhere is passed on. */
export function useDroppedFile(onFile: (file: File) => void): boolean {
  const [isDragging, setDragging] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;

  useEffect(() => {
    const listeners = new AbortController();
    const options = { signal: listeners.signal };
    function over(event: DragEvent): void {
      event.preventDefault();
      setDragging(true);
    }
    function leave(event: DragEvent): void {
      if (event.relatedTarget === null) setDragging(false); // left the window
    }
    function drop(event: DragEvent): void {
      event.preventDefault();
      setDragging(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) latest.current(file);
    }
    addEventListener("dragover", over, options);
    addEventListener("dragleave", leave, options);
    addEventListener("drop", drop, options);
    return () => listeners.abort();
  }, []);
  return isDragging;
}
