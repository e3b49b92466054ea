import { type RefObject, useInsertionEffect, useRef } from "react";

/** The value of the last committed render: callbacks must not see values of discarded renders. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
