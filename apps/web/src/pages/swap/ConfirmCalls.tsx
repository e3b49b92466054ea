import { isBatchRefused, sendCalls, simulateCalls, type TransactionCall } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, Notice, QueryState, SkeletonList, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";
import { ConfirmActions, type ConfirmActionsProps } from "../send/ConfirmActions.tsx";
import { SimulationResult } from "../send/SimulationResult.tsx";
import type { Sendable } from "../send/sendable.ts";

export interface ConfirmCallsProps extends Pick<ConfirmActionsProps, "problem" | "back"> {
  account: string;
  chain: AppChain;
  calls: readonly TransactionCall[];
  /** Identifies the calls. */
  callKey: string;
  /** Tokens whose balances change. */
  items: readonly Sendable[];
  /** Called with the wallet's ID of the calls. */
  onSent: (id: string) => Promise<void>;
  /** The user, or the wallet, wants to send the calls one by one. */
  onSeparate: () => void;
}

/** Simulates an approval and the swap after it, and sends both together, with one approval in the wallet. */
export function ConfirmCalls(props: ConfirmCallsProps) {
  const { account, chain, calls, callKey, items, problem, onSent, onSeparate, back } = props;
  const { t } = useTranslation();
  const { chainId } = useMoralis();
  const log = useTransactionLog();
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
  const isOtherChain = chainId !== chain.hexId;
  const preview = useServerQuery({
    queryKey: isOtherChain ? undefined : ["simulation of calls", account, chain.hexId, callKey],
    queryFn: () => simulateCalls(calls),
    isUncached: true,
  });

  async function send() {
    setWaiting(true);
    setError(undefined);
    try {
      const { id } = await sendCalls(calls, { account, chainId: chain.hexId });
      log.add({ hash: id, chainId: chain.hexId }, t("Approve and swap"), { isCalls: true });
      await onSent(id);
    } catch (failure) {
      if (isBatchRefused(failure)) onSeparate();
      else setError(failure);
    } finally {
      setWaiting(false);
    }
  }

  return (
    <>
      <Notice kind="info" title={t("One confirmation for both")}>
        {t("Your wallet approves the token and swaps it together: either both happen, or neither.")}
      </Notice>
      <QueryState
        query={preview}
        label={t("Simulating…")}
        skeleton={<SkeletonList rows={2} label={t("Simulating…")} />}
      >
        {(simulation) =>
          simulation.gas === null && !simulation.revert ? (
            <Notice kind="warning" title={t("No preview")}>
              {t("This node can't simulate calls that are sent together. Check the amounts in your wallet.")}
            </Notice>
          ) : (
            <SimulationResult simulation={simulation} chain={chain} items={items} />
          )
        }
      </QueryState>
      <ConfirmActions
        simulation={preview.data}
        action={t("Approve and swap")}
        {...{ preview, isOtherChain, problem, isWaiting, error, send, back }}
      >
        <Button variant="quiet" disabled={isWaiting} onClick={onSeparate}>
          {t("Send separately")}
        </Button>
      </ConfirmActions>
    </>
  );
}
