/**
 * Registers the service worker, with which the installed app starts without a connection. Browsers offer this on secure
 * origins only.
 */
export function registerServiceWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("controllerchange", passLoadedFiles, { once: true });
  if (!savesData())
    void navigator.serviceWorker.ready.then(({ active }) =>
      whenIdle(() => active?.postMessage("keep pages")),
    );
  navigator.serviceWorker.register("/sw.js").catch(() => {
    // Without it the app works, with a connection.
  });
}

/** Whether the user asks sites to load as little as possible. */
function savesData(): boolean {
  return "connection" in navigator && Object(navigator.connection).saveData === true;
}

function whenIdle(run: () => void): void {
  // Safari has no idle callbacks.
  if ("requestIdleCallback" in window) window.requestIdleCallback(run);
  else run();
}

/**
 * Requests what this page loaded before the service worker controlled it once more, from the browser's cache, so that the
 * worker keeps it: the page and the texts of the user's language, and of no other.
 */
function passLoadedFiles(): void {
  for (const { name } of performance.getEntriesByType("resource")) {
    const { origin, pathname } = new URL(name);
    if (origin === location.origin && pathname.startsWith("/assets/"))
      fetch(name).catch(() => {
        // The page that needs it requests it again.
      });
  }
}
