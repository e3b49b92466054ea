import type { Simulation } from "@purse/client";
import { Button, ErrorState, Notice, type QueryResult, Stepper, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { stepsFor } from "../../wallet/TransactionStatus.tsx";

export interface ConfirmActionsProps {
  simulation: Simulation | undefined;
  /** The query of the simulation: without one, what is sent can still be confirmed once it has failed. */
  preview: Pick<QueryResult<unknown>, "data" | "error">;
  isOtherChain: boolean;
  /** Why it cannot be sent. */
  problem: string | undefined;
  /** Whether the wallet is waiting for the user. */
  isWaiting: boolean;
  /** Why sending failed. */
  error: unknown;
  /** Text of the button that sends. */
  action: string;
  send: () => Promise<void>;
  /** Leads away without sending. */
  back: { label: string; go: () => void };
  /** Other buttons. */
  children?: ReactNode;
}

/** The end of a confirmation: what prevents it, the state of the wallet, and the buttons. */
export function ConfirmActions(props: ConfirmActionsProps) {
  const { simulation, preview, isOtherChain, problem, isWaiting, error, action, send, back, children } =
    props;
  const { t } = useTranslation();
  return (
    <>
      <p className="soft">{t("Transactions can't be reversed. Your wallet sets the final fee.")}</p>
      {problem && <Notice kind="danger" title={problem} />}
      {isWaiting && <Stepper steps={stepsFor("wallet", 0, t)} />}
      {error !== undefined && <ErrorState error={error} />}
      <div className="row confirm-actions">
        <Button
          variant="primary"
          busy={isWaiting}
          disabled={
            isOtherChain ||
            problem !== undefined ||
            Boolean(simulation?.revert) ||
            (!preview.data && !preview.error)
          }
          onClick={() => void send()}
        >
          {isWaiting ? t("Waiting for wallet") : action}
        </Button>
        <Button disabled={isWaiting} onClick={back.go}>
          {back.label}
        </Button>
        {children}
      </div>
    </>
  );
}
