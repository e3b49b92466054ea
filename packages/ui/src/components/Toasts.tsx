import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
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
        <ErrorBoundary fallback={() => <PlainToast message={messages.at(-1)} />}>
          <Suspense>
            <ToastList messages={messages} />
          </Suspense>
        </ErrorBoundary>
      )}
    </ToastContext>
  );
}

/** The last message until it is dismissed, if the list failed to load, for example without a connection. */
function PlainToast({ message }: { message: ToastMessage | undefined }) {
  const { t } = useTranslation();
  const [dismissed, setDismissed] = useState<number>();
  if (!message || message.key === dismissed) return null;
  const dismiss = () => setDismissed(message.key);
  const { text, action } = message;
  const runAction = () => {
    dismiss();
    action?.run();
  };
  return (
    <div className="toasts">
      <div className="toast" role="status">
        <span className="grow">{text}</span>
        {action && (
          <button type="button" onClick={runAction}>
            {action.label}
          </button>
        )}
        <button type="button" aria-label={t("Dismiss")} onClick={dismiss}>
          ✕
        </button>
      </div>
    </div>
  );
}

/** Returns a function that shows a message with an optional action. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
