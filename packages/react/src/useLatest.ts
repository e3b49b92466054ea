import { type RefObject, useInsertionEffect, useRef } from "react";

/** What was rendered last and kept: for callbacks, which must not see renderings that React has thrown away. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
