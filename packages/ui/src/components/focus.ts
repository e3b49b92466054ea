/** Moves the focus to the page heading, or to a page without one, for keyboard and screen reader users. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

/** Whether no element has the focus, for example after the focused element was removed. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Keeps the focus for keyboard and screen reader users, which browsers move to the document when the focused element is
 * removed or disabled: an element that is enabled again gets it back; otherwise the open dialog or the page heading gets
 * it. Returns a function that stops it.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | undefined;
  let wasDisabled = false;
  let isScheduled = false;
  const remember = ({ target }: Event) => {
    last = target instanceof HTMLElement ? target : undefined;
    wasDisabled = false;
  };
  // A click outside all elements removes the focus on purpose.
  const forget = () => {
    last = undefined;
  };
  const observer = new MutationObserver(() => {
    if (!last) return;
    if (last.isConnected) {
      const isDisabled = last.matches(":disabled");
      if (wasDisabled && !isDisabled && isFocusLost()) last.focus({ preventScroll: true });
      wasDisabled = isDisabled;
    } else if (isFocusLost() && !isScheduled) {
      isScheduled = true;
      // The code that removed the element may still move the focus.
      requestAnimationFrame(() => requestAnimationFrame(restore));
    }
  });
  // Without a page, for example while it loads, the next change of the document tries again.
  function restore(): void {
    isScheduled = false;
    if (last === undefined || last.isConnected || !isFocusLost()) return;
    const dialog = [...document.querySelectorAll<HTMLElement>(".dialog")].at(-1);
    if (dialog) dialog.focus({ preventScroll: true });
    else focusHeading();
  }
  document.addEventListener("focusin", remember);
  document.addEventListener("pointerdown", forget);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", remember);
    document.removeEventListener("pointerdown", forget);
  };
}
