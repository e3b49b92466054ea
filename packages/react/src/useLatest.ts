import * as React from "react";

type EffectHook = (effect: () => void) => void;

// React 17 has no insertion effects. Read by name, because bundlers report imports of what React does not export.
const useEarliestEffect: EffectHook = Reflect.get(React, "useInsertionEffect") ?? React.useLayoutEffect;

/** The value of the last committed render: callbacks must not see values of discarded renders. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = React.useRef(value);
  useEarliestEffect(() => {
    latest.current = value;
  });
  return latest;
}
