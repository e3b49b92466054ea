import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import type { ToastMessage } from "./ToastList.tsx";

type ShowToast = (text: string, action?: ToastMessage["action"]) => void;

/** Older messages are no longer visible. */
const MAX_MESSAGES = 20;

// Loaded with the first message.
const ToastList = lazy(() => import("./ToastList.tsx").then((module) => ({ default: module.ToastList })));

const ToastContext = createContext<ShowToast>(() => {
  throw new Error("useToast must be used inside ToastProvider");
});

/** Provides toasts: short messages that disappear by themselves and stay while hovered. */
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

/** Returns a function that shows a message with an optional action. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
