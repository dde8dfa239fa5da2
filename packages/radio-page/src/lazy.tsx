/** A component that is loaded when it is first shown: the first view of the page doesn't wait for it. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element | null {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded);
    const [isFailed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      void load()
        .then((component) => setLoaded(() => (loaded = component)))
        .catch(() => setFailed(true));
    }, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return isFailed ? (
      <p class="message surface problem">This part could not be loaded: no network.</p>
    ) : null;
  };
}
