import { type Simulation, sendTransaction, simulate } from "@purse/client";
import { useMoralis } from "@purse/react";
import { QueryState, SkeletonList, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";
import { ConfirmActions, type ConfirmActionsProps } from "./ConfirmActions.tsx";
import { CostSummary } from "./CostSummary.tsx";
import { FeeTiers } from "./FeeTiers.tsx";
import { expectedFeeFor, type Fees, readFees, type Tier } from "./fees.ts";
import { SimulationResult } from "./SimulationResult.tsx";
import type { Sendable } from "./sendable.ts";

type Call = Parameters<typeof sendTransaction>[0];

export interface ConfirmTransactionProps extends Pick<ConfirmActionsProps, "action" | "back"> {
  account: string;
  chain: AppChain;
  /** Identifies the call; undefined while it is incomplete. */
  callKey: string | undefined;
  prepareCall: () => Promise<Call>;
  /** What the transaction does, for the list of sent transactions. */
  label: string;
  /** The asset whose balance changes. */
  item?: Sendable;
  /** How much of it is sent, in its smallest unit. */
  amount?: bigint;
  /** The coin that pays the fee, with its price. */
  coin?: Sendable | undefined;
  /** Why the transaction cannot be sent. */
  problem?: string | undefined;
  /** Other tokens whose balances change. */
  otherItems?: readonly Sendable[];
  /** Called with the hash of the sent transaction. */
  onSent: (hash: string) => Promise<void>;
}

/** Simulates a transaction, offers fees, and sends it; then shows its status. */
export function ConfirmTransaction({
  account,
  chain,
  callKey,
  prepareCall,
  label,
  action,
  item,
  amount,
  coin,
  problem,
  otherItems = [],
  onSent,
  back,
}: ConfirmTransactionProps) {
  const { t } = useTranslation();
  const { provider, chainId } = useMoralis();
  const transactionLog = useTransactionLog();
  const [tier, setTier] = useState<Tier>("normal");
  const [isWaiting, setIsWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
  const isOtherChain = chainId !== chain.hexId;
  const preview = useServerQuery({
    queryKey:
      callKey !== undefined && !isOtherChain && provider
        ? ["simulation", account, chain.hexId, callKey]
        : undefined,
    async queryFn(): Promise<{ simulation: Simulation; fees: Fees }> {
      if (!provider) throw new Error("Wallet disconnected");
      const call = await prepareCall();
      const [simulation, fees] = await Promise.all([simulate(call), readFees(provider)]);
      return { simulation, fees };
    },
    isUncached: true,
  });

  async function send() {
    setIsWaiting(true);
    setError(undefined);
    try {
      const call = await prepareCall();
      const tiers = preview.data?.fees.tiers;
      // Before EIP-1559 the wallet estimates fees better.
      const fees = tiers && tiers.baseFeePerGas !== null ? tiers[tier] : undefined;
      const sent = await sendTransaction(call, { account, chainId: chain.hexId, fees });
      transactionLog.add({ ...sent.reference, chainId: sent.reference.chainId ?? chain.hexId }, label);
      await onSent(sent.hash);
    } catch (failure) {
      setError(failure);
    } finally {
      setIsWaiting(false);
    }
  }

  const gas = preview.data?.simulation.gas ?? 21_000n;
  return (
    <>
      <QueryState
        query={preview}
        label={t("Simulating…")}
        skeleton={<SkeletonList rows={2} label={t("Simulating…")} />}
      >
        {({ simulation, fees }) => (
          <>
            <SimulationResult
              simulation={simulation}
              chain={chain}
              token={item?.type === "erc20" ? { decimals: item.decimals, symbol: item.unit } : undefined}
              items={item ? [item, ...otherItems] : otherItems}
            />
            <FeeTiers {...{ fees, gas, chain, coin, tier }} onChoose={setTier} disabled={isWaiting} />
            {item && coin && amount !== undefined && (
              <CostSummary
                item={item}
                amount={amount}
                coin={coin}
                fee={expectedFeeFor(gas, tier, fees.tiers)}
              />
            )}
          </>
        )}
      </QueryState>
      <ConfirmActions
        simulation={preview.data?.simulation}
        {...{ preview, isOtherChain, problem, isWaiting, error, action, send, back }}
      />
    </>
  );
}
