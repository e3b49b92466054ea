import { useMoralis } from "@purse/react";
import { useEffect, useRef, useState } from "react";
import { rememberWallet } from "./recentWallet.ts";
import type { WalletOption } from "./walletOption.ts";

export interface WalletConnection {
  /** The selected wallet. */
  choice: WalletOption | undefined;
  /** Whether the wallet has yet to respond. */
  isWaiting: boolean;
  /** The pairing link for a wallet on another device. */
  link: string | undefined;
  error: unknown;
  connect(choice: WalletOption): Promise<void>;
  /** Stops waiting and clears the selection. */
  cancel(): void;
}

/** Connects the selected wallet; `onConnected` is called once it approves. */
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
    // The previous attempt has to end first.
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
