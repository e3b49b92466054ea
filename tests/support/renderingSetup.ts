/** Components are waited for as long as conditions that are polled: a second is too short on a loaded machine. */
if ("document" in globalThis) {
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: 15_000, reactStrictMode: false });
  // The files of a process share its document.
  document.body.innerHTML = "";
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
}
