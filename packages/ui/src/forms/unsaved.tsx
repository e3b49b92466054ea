import { type RouterHistory, useBlocker, useRouter } from "@tanstack/react-router";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { DiscardDialog } from "./DiscardDialog.tsx";

interface Place {
  pathname: string;
  search: unknown;
}

/** Whether a navigation loses the input. */
type IsLeaving = (from: Place, to: Place) => boolean;

/** The forms of a page or a dialog whose input is not saved, by an ID of the form. */
interface UnsavedForms {
  set(id: string, isLeaving: IsLeaving | undefined): void;
}

const UnsavedContext = createContext<UnsavedForms>({ set: () => undefined });

const isOtherPage: IsLeaving = (from, to) => from.pathname !== to.pathname;

/**
 * Reports that a form has input that is not saved: leaving its page, closing its dialog and reloading ask first. `isLeaving`
 * says which navigations lose the input; those to another page by default.
 */
export function useUnsaved(isUnsaved: boolean, isLeaving: IsLeaving = isOtherPage): void {
  const forms = useContext(UnsavedContext);
  const id = useId();
  const leaves = useRef(isLeaving);
  leaves.current = isLeaving;
  useEffect(() => {
    if (!isUnsaved) return undefined;
    forms.set(id, (from, to) => leaves.current(from, to));
    return () => forms.set(id, undefined);
  }, [forms, id, isUnsaved]);
}

/** `useUnsaved()` for a component that renders its own dialog, as a child of it. */
export function Unsaved({ when }: { when: boolean }): null {
  useUnsaved(when);
  return null;
}

/** The registered forms, and a context value that registers them. */
function useForms() {
  const [forms, setForms] = useState<ReadonlyMap<string, IsLeaving>>(new Map());
  const set = useCallback<UnsavedForms["set"]>((id, isLeaving) => {
    setForms((before) => {
      const after = new Map(before);
      if (isLeaving) after.set(id, isLeaving);
      else after.delete(id);
      return after;
    });
  }, []);
  const context = useMemo(() => ({ set }), [set]);
  return { forms, context };
}

/** Asks before a page is left whose forms have input that is not saved. */
export function UnsavedPage({ children }: { children: ReactNode }) {
  const { forms, context } = useForms();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => [...forms.values()].some((isLeaving) => isLeaving(current, next)),
    enableBeforeUnload: () => forms.size > 0,
    withResolver: true,
  });
  return (
    <UnsavedContext value={context}>
      {children}
      {status === "blocked" && <DiscardDialog onDiscard={proceed} onKeep={reset} />}
    </UnsavedContext>
  );
}

export interface UnsavedDialog {
  /** Closes the dialog, after a question if there is input that is not saved. */
  close(): void;
  /** Wraps the content of the dialog. */
  wrap(content: ReactNode): ReactNode;
}

/** Asks before a dialog is closed, or its page left, while its forms have input that is not saved. */
export function useUnsavedDialog(onClose: () => void): UnsavedDialog {
  const { forms, context } = useForms();
  const router: { history: RouterHistory } | undefined = useRouter({ warn: false });
  const [isAsking, setIsAsking] = useState(false);
  /** Receives the answer to the open question: whether the input is discarded. */
  const pending = useRef<(isDiscarded: boolean) => void>(undefined);
  const isUnsaved = forms.size > 0;
  const answer = useCallback((isDiscarded: boolean) => {
    pending.current?.(isDiscarded);
    pending.current = undefined;
    setIsAsking(false);
  }, []);
  const ask = useCallback(() => {
    answer(false);
    setIsAsking(true);
    return new Promise<boolean>((resolve) => {
      pending.current = resolve;
    });
  }, [answer]);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    return router?.history.block({
      // The dialog itself may navigate within its page when it closes.
      blockerFn: async ({ action, currentLocation, nextLocation }) =>
        (["BACK", "FORWARD", "GO"].includes(action) || isOtherPage(currentLocation, nextLocation)) &&
        !(await ask()),
    });
  }, [isUnsaved, router, ask]);
  return {
    close() {
      if (!isUnsaved) onClose();
      else void ask().then((isDiscarded) => isDiscarded && onClose());
    },
    wrap: (content) => (
      <UnsavedContext value={context}>
        {content}
        {isAsking && <DiscardDialog onDiscard={() => answer(true)} onKeep={() => answer(false)} />}
      </UnsavedContext>
    ),
  };
}
