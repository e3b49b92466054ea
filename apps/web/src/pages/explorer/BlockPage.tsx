import type { Block } from "@purse/client";
import {
  Code,
  CopyButton,
  Detail,
  DetailList,
  EmptyState,
  formatBytes,
  formatNumber,
  isNotFound,
  Notice,
  Skeleton,
  useShortcuts,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { usePageTitle } from "../../usePageTitle.ts";
import { CoinAmount } from "./Amount.tsx";
import { BlockContents } from "./BlockContents.tsx";
import { BlockTime } from "./BlockTime.tsx";
import { getBlock } from "./dataApi.ts";
import { useLiveDataQuery } from "./dataQueries.ts";
import { AddressLink, BlockLink } from "./EntityLinks.tsx";
import { EntityPage, InvalidEntity } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { Finality } from "./Finality.tsx";
import { GasUsage } from "./GasUsage.tsx";
import { feeOf } from "./tables.tsx";

export function BlockPage() {
  const { block } = useParams({ from: "/explorer/block/$block" });
  const { t } = useTranslation();
  const blockId = block.toLowerCase().replace(/^#/, "");
  usePageTitle(t("Block {block}", { block: blockId.slice(0, 12) }));
  if (!/^(\d{1,15}|latest|0x[0-9a-f]{64})$/.test(blockId)) {
    return (
      <InvalidEntity heading={t("Block")} title={t("Invalid block")}>
        {t("Enter a block number, or a hash: 0x followed by 64 hex characters.")}
      </InvalidEntity>
    );
  }
  return <BlockLoader key={blockId} blockId={blockId} />;
}

function BlockLoader({ blockId }: { blockId: string }) {
  const { t, language } = useTranslation();
  const { chain, head, final } = useExplorer();
  const [isSettled, setIsSettled] = useState(false);
  const found = useLiveDataQuery(
    readBlockWithCanonicalHash,
    { chain: chain.hexId, block: blockId },
    !isSettled,
  );
  const data = isNotFound(found.error) ? undefined : found.data;
  const block = data?.block;
  const number = block ? Number(block.number) : /^\d+$/.test(blockId) ? Number(blockId) : undefined;
  const isFinal = number !== undefined && final !== undefined && number <= final;
  if (isFinal !== isSettled && blockId !== "latest") setIsSettled(isFinal);
  useBlockKeys(number);
  return (
    <EntityPage
      heading={
        number === undefined ? t("Block") : t("Block {block}", { block: formatNumber(number, language) })
      }
      headingNote={
        block ? (
          data.canonicalHash === block.hash ? (
            <Finality block={Number(block.number)} />
          ) : null
        ) : found.error ? null : (
          <Skeleton width="13rem" />
        )
      }
      actions={<BlockPager number={number} head={head} />}
      query={found}
      loadingLabel={t("Loading block")}
      skeletonRows={8}
      notFound={<MissingBlock blockId={blockId} />}
      render={({ block, canonicalHash }) => <BlockDetails block={block} canonicalHash={canonicalHash} />}
    />
  );
}

function BlockDetails({ block, canonicalHash }: { block: Block; canonicalHash: string }) {
  const { t, language } = useTranslation();
  return (
    <>
      {canonicalHash !== block.hash && (
        <Notice
          kind="warning"
          title={t("This block is orphaned")}
          action={
            <Link to="/explorer/block/$block" params={{ block: block.number }} className="button small">
              {t("Canonical block")}
            </Link>
          }
        >
          {t("A chain reorganization removed this block. Its transactions did not take effect.")}
        </Notice>
      )}
      <section className="card" aria-label={t("Block")}>
        <DetailList className="explorer-facts">
          <Detail label={t("Time")}>
            <BlockTime at={block.timestamp} />
          </Detail>
          <Detail label={t("Transactions")}>
            <span className="number">{formatNumber(Number(block.transaction_count), language)}</span>
          </Detail>
          {block.miner && (
            <Detail label={t("Fee recipient")}>
              <AddressLink address={block.miner} />
            </Detail>
          )}
          {block.gas_used && block.gas_limit && (
            <Detail label={t("Gas used")}>
              <GasUsage used={block.gas_used} limit={block.gas_limit} />{" "}
              <meter
                className="gas-meter"
                max={Number(block.gas_limit)}
                value={Number(block.gas_used)}
                aria-label={t("Gas used")}
              />
            </Detail>
          )}
          <Detail label={t("Fees paid")}>
            <CoinAmount
              wei={block.transactions.reduce(
                (sum, { receipt_gas_used, gas_price }) => sum + feeOf(receipt_gas_used, gas_price),
                0n,
              )}
            />
          </Detail>
          {block.size && (
            <Detail label={t("Size")}>
              <span className="number" title={formatNumber(Number(block.size), language)}>
                {formatBytes(Number(block.size), language)}
              </span>
            </Detail>
          )}
          <Detail label={t("Hash")}>
            <span className="address">{block.hash}</span> <CopyButton text={block.hash} label={t("hash")} />
          </Detail>
          {block.number !== "0" && (
            <Detail label={t("Parent hash")}>
              <BlockLink block={block.parent_hash}>
                <span className="address">{block.parent_hash}</span>
              </BlockLink>
            </Detail>
          )}
        </DetailList>
        <details className="more-facts">
          <summary>{t("More")}</summary>
          <DetailList className="explorer-facts">
            <Detail label={t("State root")}>
              <span className="address">{block.state_root}</span>
            </Detail>
            <Detail label={t("Transactions root")}>
              <span className="address">{block.transactions_root}</span>
            </Detail>
            <Detail label={t("Receipts root")}>
              <span className="address">{block.receipts_root}</span>
            </Detail>
            {block.extra_data && (
              <Detail label={t("Extra data")}>
                <Code text={block.extra_data} label={t("Extra data")} wrap />
              </Detail>
            )}
          </DetailList>
        </details>
      </section>
      <BlockContents block={block} />
    </>
  );
}

/** J goes to the previous block, K to the next one. */
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

/** Links to the blocks beside this one. */
function BlockPager({ number, head }: { number: number | undefined; head: number | undefined }) {
  const { t } = useTranslation();
  if (number === undefined) return null;
  const hasNext = head !== undefined && number < head;
  return (
    <nav className="row tight-row" aria-label={t("Previous and next block")}>
      <PagerLink block={number > 0 ? number - 1 : undefined} shortcut="j" title={t("Previous block (J)")}>
        <ChevronLeft size={16} aria-hidden="true" />
        {t("Previous")}
      </PagerLink>
      <PagerLink block={hasNext ? number + 1 : undefined} shortcut="k" title={t("Next block (K)")}>
        {t("Next")}
        <ChevronRight size={16} aria-hidden="true" />
      </PagerLink>
    </nav>
  );
}

interface PagerLinkProps {
  block: number | undefined;
  shortcut: string;
  title: string;
  children: ReactNode;
}

/** Where there is no block, a button keeps the place: the head is known after the block. */
function PagerLink({ block, shortcut, title, children }: PagerLinkProps) {
  const className = "button small";
  if (block === undefined)
    return (
      <button type="button" className={className} disabled>
        {children}
      </button>
    );
  return (
    <Link
      to="/explorer/block/$block"
      params={{ block: String(block) }}
      className={className}
      aria-keyshortcuts={shortcut}
      title={title}
    >
      {children}
    </Link>
  );
}

function MissingBlock({ blockId }: { blockId: string }) {
  const { t, language } = useTranslation();
  const { head } = useExplorer();
  if (blockId.startsWith("0x")) {
    return (
      <EmptyState title={t("Block not found")}>
        {t("No node has a block with this hash. Nodes discard orphaned blocks after a while.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("Block not mined yet")}>
      {head === undefined
        ? t("This block does not exist on this chain.")
        : t("The latest block is {head}. This page updates automatically.", {
            head: formatNumber(head, language),
          })}
    </EmptyState>
  );
}

/** Reads a block and the hash of the canonical block at its height, which differs if the block is orphaned. */
async function readBlockWithCanonicalHash(
  { chain, block }: { chain: string; block: string },
  options?: { signal?: AbortSignal },
): Promise<{ block: Block; canonicalHash: string }> {
  const found = await getBlock({ chain, block_number_or_hash: block }, options);
  if (!block.startsWith("0x")) return { block: found, canonicalHash: found.hash };
  const canonical = await getBlock({ chain, block_number_or_hash: found.number }, options);
  return { block: found, canonicalHash: canonical.hash };
}
