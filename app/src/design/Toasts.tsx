import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import type { Message } from "./ToastList.tsx";

type Say = (text: string, action?: Message["action"]) => void;

/** So many are remembered; they are long gone from sight by then. */
const KEPT = 20;

// It comes with the first message: no page needs it to be shown.
const ToastList = lazy(() => import("./ToastList.tsx").then((module) => ({ default: module.ToastList })));

const ToastContext = createContext<Say>(() => {
  throw new Error("useToast is for pages inside ToastArea");
});

/** Short messages that go by themselves; they wait while the pointer rests on them. */
export function ToastArea({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<readonly Message[]>([]);
  const say = useCallback<Say>((text, action) => {
    setSaid((before) => [
      ...before.slice(-KEPT),
      { key: (before.at(-1)?.key ?? 0) + 1, text, ...(action && { action }) },
    ]);
  }, []);
  return (
    <ToastContext value={say}>
      {children}
      {said.length > 0 && (
        <Suspense>
          <ToastList said={said} />
        </Suspense>
      )}
    </ToastContext>
  );
}

/** Shows a message, with something to do about it where there is. */
export function useToast(): Say {
  return useContext(ToastContext);
}
