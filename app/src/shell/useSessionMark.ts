import { useMoralis } from "@purse/react";
import { useEffect } from "react";
import { deviceOf } from "../pages/account/device.ts";

const KEY = "purse/session-marked";
/** How exactly the last use is known. */
const EVERY_MS = 3_600_000;

/** Writes into the own session what device it is on, and that it is in use, for the list of sessions. */
export function useSessionMark(): void {
  const { Moralis, user, isInitialized } = useMoralis();
  const token = user?.getSessionToken();
  useEffect(() => {
    if (!isInitialized || token === undefined) return;
    const mark = `${token.slice(-8)} ${Math.floor(Date.now() / EVERY_MS)}`;
    if (localStorage.getItem(KEY) === mark) return;
    const device = deviceOf(navigator.userAgent);
    Moralis.Session.current()
      .then((session) => session.save({ device, usedAt: new Date() }))
      .then(() => localStorage.setItem(KEY, mark))
      .catch((error: unknown) => console.warn("The session could not be marked as in use", error));
  }, [Moralis, token, isInitialized]);
}
