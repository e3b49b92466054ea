import { loadJson, saveJson } from "../jsonStorage.ts";

const KEY = "purse/reloaded";
/** How long the same page is not reloaded again, in ms. */
const PAUSE_MS = 60_000;

/** Reloads the page, unless that has just been tried and has not helped. */
export function reloadOnce(): void {
  const { href } = window.location;
  const last = Object(loadJson(sessionStorage, KEY));
  if (last.href === href && Date.now() - last.at < PAUSE_MS) return;
  saveJson(sessionStorage, KEY, { href, at: Date.now() });
  window.location.reload();
}
