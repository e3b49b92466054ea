import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import type { ToastMessage } from "./ToastList.tsx";

type ShowToast = (text: string, action?: ToastMessage["action"]) => void;

/** So many are remembered; they are long gone from sight by then. */
const MAX_MESSAGES = 20;

// It comes with the first message: no page needs it to be shown.
const ToastList = lazy(() => import("./ToastList.tsx").then((module) => ({ default: module.ToastList })));

const ToastContext = createContext<ShowToast>(() => {
  throw new Error("useToast is for pages inside ToastProvider");
});

/** Short messages that go by themselves; they wait while the pointer rests on them. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly ToastMessage[]>([]);
  const show = useCallback<ShowToast>((text, action) => {
    setMessages((before) => [
      ...before.slice(-MAX_MESSAGES),
      { key: (before.at(-1)?.key ?? 0) + 1, text, ...(action && { action }) },
    ]);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      {messages.length > 0 && (
        <Suspense>
          <ToastList messages={messages} />
        </Suspense>
      )}
    </ToastContext>
  );
}

/** Shows a message, with something to do about it where there is. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
