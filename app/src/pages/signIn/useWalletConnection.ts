import { useMoralis } from "@purse/react";
import { useEffect, useRef, useState } from "react";
import { rememberWallet } from "./recentWallet.ts";
import type { WalletOption } from "./walletOption.ts";

export interface WalletConnection {
  /** The wallet that somebody has chosen. */
  choice: WalletOption | undefined;
  /** Whether it is being waited for. */
  isWaiting: boolean;
  /** What another device scans or opens, where the wallet is on one. */
  link: string | undefined;
  error: unknown;
  connect(choice: WalletOption): Promise<void>;
  /** Stops waiting, and forgets the choice. */
  cancel(): void;
}

/** Asks the wallet that somebody chooses; `onConnected` is called as soon as it has agreed. */
export function useWalletConnection(onConnected?: () => void): WalletConnection {
  const { enableWeb3, deactivateWeb3 } = useMoralis();
  const [choice, setChoice] = useState<WalletOption>();
  const [isWaiting, setWaiting] = useState(false);
  const [link, setLink] = useState<string>();
  const [error, setError] = useState<unknown>();
  const attempt = useRef<AbortController>(undefined);
  useEffect(() => () => attempt.current?.abort(), []);

  async function connect(chosen: WalletOption) {
    const controller = new AbortController();
    attempt.current?.abort();
    attempt.current = controller;
    setChoice(chosen);
    setError(undefined);
    setLink(undefined);
    setWaiting(true);
    // Two attempts at once there cannot be: the one before is over first.
    if (isWaiting) await deactivateWeb3();
    await enableWeb3({
      ...chosen.options,
      ...(chosen.usesLink && { onUri: setLink }),
      signal: controller.signal,
      onSuccess: () => {
        rememberWallet(chosen.id);
        onConnected?.();
      },
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
    if (attempt.current === controller) setWaiting(false);
  }

  function cancel() {
    attempt.current?.abort();
    setChoice(undefined);
    setWaiting(false);
    setLink(undefined);
    setError(undefined);
  }

  return { choice, isWaiting, link, error, connect, cancel };
}
