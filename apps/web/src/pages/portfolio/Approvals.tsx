import type { WalletApproval } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Address, Button, EmptyState, QueryState, SkeletonList, Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { type AppChain, chainName } from "../../settings.ts";
import { approvalAmount } from "./approvalAmount.ts";

const PAGE_SIZE = 10;

interface ChainApproval {
  chain: AppChain;
  approval: WalletApproval;
}

export interface ApprovalsProps {
  address: string;
  chains: AppChain[];
  isOwn: boolean;
}

/** Who may take tokens of an address, the most valuable first, with links that revoke it. */
export function Approvals({ address, chains, isOwn }: ApprovalsProps) {
  const { t, language } = useTranslation();
  const { Moralis } = useMoralis();
  const [limit, setLimit] = useState(PAGE_SIZE);
  const approvals = useServerQuery({
    queryKey: ["approvals", address, chains.map(({ hexId }) => hexId)],
    async queryFn(options) {
      const pages = await Promise.all(
        chains.map((chain) =>
          Moralis.Web3API.account.getWalletApprovals({ address, chain: chain.hexId }, options),
        ),
      );
      const rows = pages.flatMap(({ result }, i): ChainApproval[] => {
        const chain = chains[i];
        return chain ? result.map((approval) => ({ chain, approval })) : [];
      });
      return {
        rows: rows.sort((a, b) => riskOf(b) - riskOf(a)),
        atRisk: pages.reduce((sum, page) => sum + page.total_usd_at_risk, 0),
      };
    },
  });
  return (
    <section className="card stack" aria-labelledby="approvals">
      <div className="row spread">
        <h2 id="approvals">{t("Approvals")}</h2>
        {approvals.data && approvals.data.rows.length > 0 && (
          <span className="soft">
            {t("{amount} at risk", { amount: formatFiat(approvals.data.atRisk, language) })}
          </span>
        )}
      </div>
      <QueryState
        query={approvals}
        label={t("Loading approvals")}
        skeleton={<SkeletonList rows={2} label={t("Loading approvals")} />}
      >
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState title={t("No open approvals")}>
              {t("No contract may take tokens of this address.")}
            </EmptyState>
          ) : (
            <ul className="list">
              {rows.slice(0, limit).map((row) => (
                <ApprovalRow
                  key={`${row.chain.hexId}/${row.approval.transaction_hash}/${row.approval.log_index}`}
                  row={row}
                  showsChain={chains.length > 1}
                  isOwn={isOwn}
                />
              ))}
            </ul>
          )
        }
      </QueryState>
      {(approvals.data?.rows.length ?? 0) > limit && (
        <div className="row">
          <Button onClick={() => setLimit(limit + PAGE_SIZE)}>{t("Show more")}</Button>
        </div>
      )}
    </section>
  );
}

/** In US dollars; without a price less than with any. */
function riskOf({ approval: { token } }: ChainApproval): number {
  if (token.usd_at_risk !== null) return token.usd_at_risk;
  return token.amount_at_risk === "0" ? -2 : -1;
}

interface ApprovalRowProps {
  row: ChainApproval;
  showsChain: boolean;
  isOwn: boolean;
}

function ApprovalRow({ row: { chain, approval }, showsChain, isOwn }: ApprovalRowProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { token, spender, approval_type: type } = approval;
  const name = (type === "erc20" ? token.symbol : token.name) || token.symbol;
  return (
    <li className="transfer">
      <span className="move-what">
        <span className="strong">
          <bdi>{approvalAmount({ ...approval, token_id: token.token_id }, name, texts)}</bdi>{" "}
          {approval.is_unlimited && <Status kind="warning">{t("unlimited")}</Status>}
        </span>
        <Address address={spender.address} short />
        {showsChain && <span className="small soft">{chainName(chain, t)}</span>}
      </span>
      <span className="right number">
        <span>{token.usd_at_risk === null ? "—" : formatFiat(token.usd_at_risk, language)}</span>
        {isOwn && (
          <Link
            to="/send"
            search={{
              revoke: type,
              asset: token.token_id === null ? token.address : `${token.address}/${token.token_id}`,
              to: spender.address,
              chain: chain.hexId,
            }}
            className="button small"
            aria-label={t("Revoke {token} for {spender}", {
              token: name || token.address,
              spender: spender.address,
            })}
          >
            {t("Revoke")}
          </Link>
        )}
      </span>
    </li>
  );
}
