import type { Block } from "@purse/client";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { Code } from "../../design/Code.tsx";
import { CopyButton } from "../../design/CopyButton.tsx";
import { Moment } from "../../design/Moment.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { Notice } from "../../design/Status.tsx";
import { EmptyState, SkeletonList } from "../../design/states.tsx";
import { isNotFound } from "../../query/failures.ts";
import { useShortcuts } from "../../shell/useShortcuts.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { blockAndPlace, useLiveAnswer } from "./answers.ts";
import { BlockParts } from "./BlockParts.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { GasUse } from "./Overview.tsx";
import { AddressLink, BlockLink, Coins, Fact, Facts, Finality } from "./parts.tsx";
import { fee } from "./tables.tsx";

export function BlockPage() {
  const { block } = useParams({ from: "/explorer/block/$block" });
  const { t } = useTexts();
  const wanted = block.toLowerCase().replace(/^#/, "");
  usePageTitle(t("Block {block}", { block: wanted.slice(0, 12) }));
  if (!/^(\d{1,15}|latest|0x[0-9a-f]{64})$/.test(wanted)) {
    return (
      <>
        <h1>{t("Block")}</h1>
        <EmptyState title={t("That is no block")}>
          {t("A block is a number, or a hash of 64 digits after 0x.")}
        </EmptyState>
      </>
    );
  }
  return <BlockOf key={wanted} wanted={wanted} />;
}

function BlockOf({ wanted }: { wanted: string }) {
  const { t, language } = useTexts();
  const { chain, head, final } = useExplorer();
  const [isSettled, setIsSettled] = useState(false);
  const found = useLiveAnswer(blockAndPlace, { chain: chain.hexId, block: wanted }, !isSettled);
  const data = isNotFound(found.error) ? undefined : found.data;
  const block = data?.block;
  const number = block ? Number(block.number) : /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const isFinal = number !== undefined && final !== undefined && number <= final;
  if (isFinal !== isSettled && wanted !== "latest") setIsSettled(isFinal);
  useBlockKeys(number);
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <div className="row">
          <h1>
            {number === undefined
              ? t("Block")
              : t("Block {block}", { block: number.toLocaleString(language) })}
          </h1>
          {block && data.placeHash === block.hash && <Finality block={Number(block.number)} />}
        </div>
        <BlockSteps number={number} head={head} />
      </div>
      <QueryState
        query={found}
        label={t("Loading the block")}
        skeleton={
          <div className="card">
            <SkeletonList rows={8} label={t("Loading the block")} />
          </div>
        }
        instead={(error) => (isNotFound(error) ? <MissingBlock wanted={wanted} /> : undefined)}
      >
        {({ block, placeHash }) => <BlockFound block={block} placeHash={placeHash} />}
      </QueryState>
    </div>
  );
}

function BlockFound({ block, placeHash }: { block: Block; placeHash: string }) {
  const { t, language } = useTexts();
  return (
    <>
      {placeHash !== block.hash && (
        <Notice
          kind="warning"
          title={t("This block is orphaned")}
          action={
            <Link to="/explorer/block/$block" params={{ block: block.number }} className="button small">
              {t("The block in its place")}
            </Link>
          }
        >
          {t("The chain was reorganised and goes on without it: what happened here did not happen.")}
        </Notice>
      )}
      <section className="card" aria-label={t("The block")}>
        <Facts>
          <Fact label={t("Time")}>
            <span className="number">
              {new Date(block.timestamp).toLocaleString(language, {
                dateStyle: "long",
                timeStyle: "long",
              })}
            </span>{" "}
            <span className="soft">
              (<Moment at={block.timestamp} />)
            </span>
          </Fact>
          <Fact label={t("Transactions")}>
            <span className="number">{block.transaction_count}</span>
          </Fact>
          <Fact label={t("Fee recipient")}>
            <AddressLink address={block.miner} />
          </Fact>
          <Fact label={t("Gas used")}>
            <GasUse used={block.gas_used} limit={block.gas_limit} />{" "}
            <meter
              className="gas-meter"
              max={Number(block.gas_limit)}
              value={Number(block.gas_used)}
              aria-label={t("Gas used")}
            />
          </Fact>
          <Fact label={t("Fees paid")}>
            <Coins
              wei={block.transactions.reduce(
                (sum, { receipt_gas_used, gas_price }) => sum + fee(receipt_gas_used, gas_price),
                0n,
              )}
            />
          </Fact>
          <Fact label={t("Size")}>
            <span className="number">{Number(block.size).toLocaleString(language)} B</span>
          </Fact>
          <Fact label={t("Hash")}>
            <span className="address">{block.hash}</span> <CopyButton text={block.hash} label={t("hash")} />
          </Fact>
          {block.number !== "0" && (
            <Fact label={t("Parent")}>
              <BlockLink block={block.parent_hash}>
                <span className="address">{block.parent_hash}</span>
              </BlockLink>
            </Fact>
          )}
        </Facts>
        <details className="more-facts">
          <summary>{t("More")}</summary>
          <Facts>
            <Fact label={t("State root")}>
              <span className="address">{block.state_root}</span>
            </Fact>
            <Fact label={t("Transactions root")}>
              <span className="address">{block.transactions_root}</span>
            </Fact>
            <Fact label={t("Receipts root")}>
              <span className="address">{block.receipts_root}</span>
            </Fact>
            <Fact label={t("Extra data")}>
              <Code text={block.extra_data} label={t("Extra data")} wrap />
            </Fact>
          </Facts>
        </details>
      </section>
      <BlockParts block={block} />
    </>
  );
}

/** J goes to the block before, K to the one after. */
function useBlockKeys(number: number | undefined): void {
  const navigate = useNavigate();
  const { head } = useExplorer();
  const shortcuts = useMemo(() => {
    const go = (block: number) => () =>
      void navigate({ to: "/explorer/block/$block", params: { block: String(block) } });
    return {
      ...(number !== undefined && number > 0 && { j: go(number - 1) }),
      ...(number !== undefined && head !== undefined && number < head && { k: go(number + 1) }),
    };
  }, [navigate, number, head]);
  useShortcuts(shortcuts);
}

function BlockSteps({ number, head }: { number: number | undefined; head: number | undefined }) {
  const { t } = useTexts();
  if (number === undefined) return null;
  return (
    <nav className="row tight-row" aria-label={t("Blocks before and after")}>
      {number > 0 && (
        <Link
          to="/explorer/block/$block"
          params={{ block: String(number - 1) }}
          className="button small"
          aria-keyshortcuts="j"
          title={t("The block before: J")}
        >
          <ChevronLeft size={16} aria-hidden="true" />
          {t("Before")}
        </Link>
      )}
      {head !== undefined && number < head && (
        <Link
          to="/explorer/block/$block"
          params={{ block: String(number + 1) }}
          className="button small"
          aria-keyshortcuts="k"
          title={t("The block after: K")}
        >
          {t("After")}
          <ChevronRight size={16} aria-hidden="true" />
        </Link>
      )}
    </nav>
  );
}

function MissingBlock({ wanted }: { wanted: string }) {
  const { t, language } = useTexts();
  const { head } = useExplorer();
  if (wanted.startsWith("0x")) {
    return (
      <EmptyState title={t("Orphaned, or not of this chain")}>
        {t(
          "No node knows a block with this hash any more. Blocks that a reorganisation left behind are forgotten after a while.",
        )}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("Not there yet")}>
      {head === undefined
        ? t("The chain has no such block.")
        : t("The newest block is {head}. This page shows the block when it comes.", {
            head: head.toLocaleString(language),
          })}
    </EmptyState>
  );
}
