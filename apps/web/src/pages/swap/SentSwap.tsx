import { Button, useTranslation } from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { TransactionStatus } from "../../wallet/TransactionStatus.tsx";

/** The status of a swap, or of the approval before it. */
export function SentSwap({ hash, chain }: { hash: string; chain: string | undefined }) {
  const { t } = useTranslation();
  const { sent } = useSearch({ from: "/swap" });
  const navigate = useNavigate({ from: "/swap" });
  return (
    <div className="card stack">
      <TransactionStatus
        hash={hash}
        chain={chain}
        onView={({ status }) =>
          sent === "approve" && (
            <Button
              variant="primary"
              disabled={status !== "confirmed"}
              onClick={() =>
                void navigate({ search: (before) => ({ ...before, tx: undefined, sent: undefined }) })
              }
            >
              {t("Continue with the swap")}
            </Button>
          )
        }
      />
      {sent !== "approve" && (
        <div className="row">
          <Link to="/swap" search={{}} className="button">
            {t("Swap again")}
          </Link>
          <Link to="/portfolio" search={{}} className="button quiet">
            {t("Portfolio")}
          </Link>
        </div>
      )}
    </div>
  );
}
