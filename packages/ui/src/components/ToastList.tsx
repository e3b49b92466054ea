import { Toast } from "@base-ui/react/toast";
import { useEffect, useRef } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** A short message with an optional action. */
export interface ToastMessage {
  /** Ascending sequence number. */
  key: number;
  text: string;
  action?: { label: string; run: () => void };
}

/** The visible toasts, newest first. */
export function ToastList({ messages }: { messages: readonly ToastMessage[] }) {
  return (
    <Toast.Provider timeout={6000}>
      <ToastQueue messages={messages} />
      <Toast.Portal>
        <Toast.Viewport ref={reserveSpace} className="toasts">
          <VisibleToasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** Tells the styles how high the toasts are, so that the navigation leaves them the space. Returns a function that stops it. */
function reserveSpace(viewport: HTMLElement | null): (() => void) | undefined {
  if (!viewport) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    style.setProperty("--toasts-height", `${Math.ceil(viewport.getBoundingClientRect().height)}px`);
  });
  observer.observe(viewport);
  return () => {
    observer.disconnect();
    style.removeProperty("--toasts-height");
  };
}

/** Shows each message once. */
function ToastQueue({ messages }: { messages: readonly ToastMessage[] }) {
  const { add, close } = Toast.useToastManager();
  const shown = useRef(0);
  useEffect(() => {
    for (const { key, text, action } of messages) {
      if (key <= shown.current) continue;
      shown.current = key;
      const id: string = add({
        description: text,
        ...(action && {
          actionProps: {
            children: action.label,
            onClick: () => {
              action.run();
              close(id);
            },
          },
        }),
      });
    }
  }, [messages, add, close]);
  return null;
}

function VisibleToasts() {
  const { t } = useTranslation();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Description className="grow" />
      {toast.actionProps && <Toast.Action />}
      <Toast.Close aria-label={t("Dismiss")}>✕</Toast.Close>
    </Toast.Root>
  ));
}
