import { Toast } from "@base-ui/react/toast";
import type { ReactNode } from "react";

/** Short messages that go by themselves; they wait while the pointer rests on them. */
export function ToastArea({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Description className="grow" />
      {toast.actionProps && <Toast.Action />}
      <Toast.Close aria-label="Dismiss">✕</Toast.Close>
    </Toast.Root>
  ));
}

/** Shows a message, with something to do about it where there is. */
export function useToast() {
  const { add, close } = Toast.useToastManager();
  return (description: string, action?: { label: string; run: () => void }) => {
    const id: string = add({
      description,
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
  };
}
